import type { FileEntry } from '@satchel/contract/entities';
import type { Still, StillSize } from '@satchel/contract/wire/still-frames';
import { STILLS_READ_MAX } from '@satchel/contract/wire/still-limits';
import { createStore } from '../../../lib/base/external-store.ts';
import { coalesce } from '../../../lib/browser/coalesce.ts';
import { fetchStills } from './fetch-stills.ts';
import { type FileStill, type Listing, type StillRef, type StillRequest, stillRef } from './still-ref.ts';

/**
 * Stills that an uploader's browser made and stored with its files (docs/container.md §6): a screenful comes in one request, the small
 * ones first. One that doesn't open is none.
 */

export interface StillShelfDeps {
  /** Calls `onStill` for each still as it comes, with null for none. Rejects when the server didn't answer. */
  readonly fetchStills: (request: StillRequest, onStill: (ref: StillRef, still: Blob | null) => void) => Promise<void>;
  readonly createUrl: (still: Blob) => string;
  readonly revoke: (url: string) => void;
  /** Above this number, stills that are not shown are revoked. */
  readonly maxStills?: number;
}

/** Some 40 KB each. */
const DEFAULT_MAX_STILLS = 300;
/** Less than a request may have: what is in view by the time that they have come may be something else. */
const LARGE_AT_ONCE = 32;
const AT_ONCE: Readonly<Record<StillSize, number>> = { small: STILLS_READ_MAX, large: LARGE_AT_ONCE };

/** A folder is drawn again for all stills that come within this time. */
const DRAW_EVERY_MS = 50;

interface Want {
  readonly ref: StillRef;
  readonly counts: Record<StillSize, number>;
}

type Urls = Partial<Record<StillSize, string>>;
/** Made by this page: to come, or stored. None: the server has none that opens. */
type Fact = 'made' | 'none';

export type StillShelf = ReturnType<typeof createStillShelf>;

/** The addresses of stills, the least recently wanted ones first. */
function createAddresses({ createUrl, revoke, maxStills = DEFAULT_MAX_STILLS }: StillShelfDeps) {
  const kept = new Map<string, Urls>();

  function remove(key: string): void {
    for (const url of Object.values(kept.get(key) ?? {})) revoke(url);
    kept.delete(key);
  }

  return {
    get: (key: string): Urls => kept.get(key) ?? {},
    put(key: string, size: StillSize, still: Blob): void {
      const before = kept.get(key) ?? {};
      const old = before[size];
      if (old !== undefined) revoke(old);
      kept.delete(key);
      kept.set(key, { ...before, [size]: createUrl(still) });
    },
    touch(key: string): void {
      const urls = kept.get(key);
      if (!urls) return;
      kept.delete(key);
      kept.set(key, urls);
    },
    trim(isShown: (key: string) => boolean): void {
      for (const key of [...kept.keys()]) {
        if (kept.size <= maxStills) break;
        if (!isShown(key)) remove(key);
      }
    },
    clear(): void {
      for (const key of [...kept.keys()]) remove(key);
    },
  };
}

/** A shelf of stills by their keys. */
export function createStillShelf(deps: StillShelfDeps) {
  const wants = new Map<string, Want>();
  const facts = new Map<string, Fact>();
  const changes = createStore(0);
  const shown = new Map<string, FileStill>();
  const addresses = createAddresses(deps);
  const isFetching: Record<StillSize, boolean> = { small: false, large: false };
  /** Stills on their way to the server, or not made yet: only this page has them. */
  const coming = new Set<string>();
  let isPumpDue = false;
  const changed = coalesce(() => changes.set(changes.get() + 1), DRAW_EVERY_MS).run;

  function state(key: string, fact: Fact | null): void {
    if (fact === null) facts.delete(key);
    else facts.set(key, fact);
    changed();
  }

  function isMissing(size: StillSize, { ref: { key }, counts }: Want): boolean {
    if (counts[size] === 0 || facts.get(key) === 'none' || coming.has(key)) return false;
    const urls = addresses.get(key);
    return urls[size] === undefined && urls.large === undefined;
  }

  /** The next stills to ask for: all of one folder. */
  function nextRequest(size: StillSize): StillRequest | null {
    const missing = [...wants.values()].filter((want) => isMissing(size, want)).map(({ ref }) => ref);
    const place = missing[0]?.place;
    if (!place) return null;
    const isThere = (ref: StillRef) => ref.place.bucket === place.bucket && ref.place.storagePath === place.storagePath;
    return { place, size, refs: missing.filter(isThere).slice(0, AT_ONCE[size]) };
  }

  async function fetchNext(size: StillSize): Promise<void> {
    const request = isFetching[size] ? null : nextRequest(size);
    if (!request) return;
    isFetching[size] = true;
    const missing = new Set(request.refs.map(({ key }) => key));
    const onStill = ({ key }: StillRef, still: Blob | null) => {
      missing.delete(key);
      if (still === null) state(key, 'none');
      else if (wants.has(key)) addresses.put(key, size, still);
      changed();
    };
    // Without an answer the card is as one without a still.
    await deps.fetchStills(request, onStill).catch(() => undefined);
    for (const key of missing) state(key, 'none');
    isFetching[size] = false;
    addresses.trim((key) => wants.has(key));
    pump();
  }

  function pump(): void {
    void fetchNext('small');
    if (!isFetching.small) void fetchNext('large');
  }

  /** Cards come into view one by one: what is wanted in one turn is asked for together. */
  function pumpSoon(): void {
    if (isPumpDue) return;
    isPumpDue = true;
    setTimeout(() => {
      isPumpDue = false;
      pump();
    });
  }

  /** Asks for a still while it is on screen, both sizes or the small one; call the returned function afterwards. */
  function want(ref: StillRef, upTo: StillSize): () => void {
    const { key } = ref;
    const mine: Want = wants.get(key) ?? { ref, counts: { small: 0, large: 0 } };
    const sizes: readonly StillSize[] = upTo === 'large' ? ['small', 'large'] : ['small'];
    for (const size of sizes) mine.counts[size] += 1;
    wants.set(key, mine);
    addresses.touch(key);
    pumpSoon();
    let isWanted = true;
    return () => {
      if (!isWanted) return;
      isWanted = false;
      for (const size of sizes) mine.counts[size] -= 1;
      if (mine.counts.small === 0 && wants.get(key) === mine) wants.delete(key);
    };
  }

  /** The largest that is here, up to a size; null for none yet. */
  function get(key: string, upTo: StillSize): string | null {
    const { small, large } = addresses.get(key);
    return (upTo === 'large' ? (large ?? small) : (small ?? large)) ?? null;
  }

  /** Whether a file has a still as far as this page knows: the list says so, or this page made it. */
  const has = (key: string, isListed: boolean): boolean =>
    facts.get(key) === 'made' || (isListed && facts.get(key) !== 'none');

  return {
    want,
    get,
    has,
    /** The still of a listed file, if it has one as far as this page knows. */
    stillOf(entry: FileEntry, listing: Listing): FileStill | null {
      const ref = stillRef(entry, listing);
      if (!ref || !has(ref.key, entry.metadata.still === true)) return null;
      const before = shown.get(ref.key);
      const url = get(ref.key, 'large');
      if (before?.url === url && before.ref?.seal?.keys === ref.seal?.keys) return before;
      const now = { ref, url };
      shown.set(ref.key, now);
      return now;
    },
    /** This page is about to make a still of a file that it has uploaded. */
    expect(key: string): void {
      coming.add(key);
      state(key, 'made');
    },
    /** Made by this page: it needs no fetching. */
    bring(key: string, still: Record<keyof Still, Blob>): void {
      addresses.put(key, 'small', still.small);
      addresses.put(key, 'large', still.large);
      addresses.trim((other) => other === key || wants.has(other));
      changed();
    },
    /** What was expected is stored, or will not be. */
    settle(key: string, isStored: boolean): void {
      coming.delete(key);
      if (!isStored) state(key, null);
      pumpSoon();
    },
    /** A still that opens, and that the browser can't draw, is none. */
    refuse: (key: string): void => state(key, 'none'),
    /** Removes everything: after "Forget keys", or when a folder was deleted or has expired. */
    clear(): void {
      addresses.clear();
      facts.clear();
      shown.clear();
      changed();
    },
    subscribe: changes.subscribe,
  };
}

/** The page's own shelf: known-stills.ts has what a page needs of it at once. */
export const stillShelf = createStillShelf({
  fetchStills,
  createUrl: (still) => URL.createObjectURL(still),
  revoke: (url) => URL.revokeObjectURL(url),
});
