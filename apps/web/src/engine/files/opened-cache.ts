import { MIB, OPENED_IDLE_MS, OPENED_SWEEP_MS } from '@satchel/contract/limits';
import { createStore } from '../../lib/base/external-store.ts';
import { localFiles } from './local-files.ts';
import type { OpenedFile } from './open/open-client.ts';
import { knownStills } from './stills/known-stills.ts';

/** Opened files of this page. */

export interface OpenedEntry {
  readonly file: Blob | null;
  readonly objectUrl: string | null;
  readonly metadata: { readonly name: string; readonly type: string; readonly sizeBytes: number };
  /** What the file was listed as when it was opened: listed as something else, it is not this one. */
  readonly listedAs: string;
  /** Milliseconds since the epoch. */
  lastAccessed: number;
}

export interface OpenedCacheDeps {
  readonly nowMs: () => number;
  readonly revoke: (objectUrl: string) => void;
  /** Everything was removed: what else shows opened files has to go, too. */
  readonly onClear?: () => void;
  /** Total bytes of the blobs; beyond that the least recently used entries are removed. */
  readonly maxBytes?: number;
}

/** Ten minutes of idle scrolling through a big folder must not fill the browser's blob store. */
const DEFAULT_MAX_BYTES = 512 * MIB;

export type OpenedCache = ReturnType<typeof createOpenedCache>;

const asOpened = new WeakMap<OpenedEntry, OpenedFile>();

/** The same entry gives the same object, so that a card whose file has not changed is not drawn again. */
function toOpened(entry: OpenedEntry): OpenedFile {
  const { file, objectUrl, metadata } = entry;
  const opened = asOpened.get(entry) ?? { ...metadata, blob: file, objectUrl };
  asOpened.set(entry, opened);
  return opened;
}

/** Counts the holders of each file. */
function createHolds(onFree: (id: string) => void) {
  const holders = new Map<string, number>();
  return {
    isHeld: (id: string): boolean => holders.has(id),
    hold: (id: string): (() => void) => {
      holders.set(id, (holders.get(id) ?? 0) + 1);
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        const left = (holders.get(id) ?? 1) - 1;
        if (left > 0) {
          holders.set(id, left);
          return;
        }
        holders.delete(id);
        onFree(id);
      };
    },
  };
}

/** The entries to remove, least recently used first, until the others total at most `maxBytes`. */
function excess(
  entries: ReadonlyMap<string, OpenedEntry>,
  maxBytes: number,
  isNeeded: (id: string) => boolean,
): string[] {
  const sizeOf = ({ file }: OpenedEntry): number => file?.size ?? 0;
  let usedBytes = [...entries.values()].reduce((sum, entry) => sum + sizeOf(entry), 0);
  const byAge = [...entries].sort(([, a], [, b]) => a.lastAccessed - b.lastAccessed);
  const excessIds: string[] = [];
  for (const [id, entry] of byAge) {
    if (usedBytes <= maxBytes) break;
    if (isNeeded(id)) continue;
    usedBytes -= sizeOf(entry);
    excessIds.push(id);
  }
  return excessIds;
}

/** A cache of opened files by file id: one opening of each, and only for the listing that it was opened for. */
export function createOpenedCache({
  nowMs,
  revoke: revokeUrl,
  onClear,
  maxBytes = DEFAULT_MAX_BYTES,
}: OpenedCacheDeps) {
  const entries = new Map<string, OpenedEntry>();
  const addresses = new Set<string>();
  const changes = createStore(0);
  const holds = createHolds((id) => touch(entries.get(id)));
  const changed = () => changes.set(changes.get() + 1);

  /** Revokes the address of a file, also of one that was never put. */
  function revoke({ objectUrl }: Pick<OpenedFile, 'objectUrl'>): void {
    if (objectUrl !== null) revokeUrl(objectUrl);
  }

  function remove(id: string): void {
    const entry = entries.get(id);
    if (!entry) return;
    entries.delete(id);
    if (entry.objectUrl !== null) addresses.delete(entry.objectUrl);
    revoke(entry);
    changed();
  }

  function put(id: string, listedAs: string, { blob, objectUrl, name, type, sizeBytes }: OpenedFile): void {
    remove(id);
    entries.set(id, { file: blob, objectUrl, metadata: { name, type, sizeBytes }, listedAs, lastAccessed: nowMs() });
    if (objectUrl !== null) addresses.add(objectUrl);
    for (const excessId of excess(entries, maxBytes, (other) => other === id || holds.isHeld(other))) remove(excessId);
    changed();
  }

  const touch = (entry: OpenedEntry | undefined): void => {
    if (entry) entry.lastAccessed = nowMs();
  };

  /** The cached file, without counting as use. */
  function peek(id: string, listedAs: string): OpenedFile | null {
    const entry = entries.get(id);
    return entry?.listedAs === listedAs ? toOpened(entry) : null;
  }

  /** The cached file; it counts as used now. */
  function use(id: string, listedAs: string): OpenedFile | null {
    touch(entries.get(id));
    return peek(id, listedAs);
  }

  /** Removes entries that are unused for more than ten minutes and not held. */
  function sweep(): void {
    const isIdle = ([id, entry]: [string, OpenedEntry]) =>
      !holds.isHeld(id) && nowMs() - entry.lastAccessed > OPENED_IDLE_MS;
    for (const [id] of [...entries].filter(isIdle)) remove(id);
  }

  /** Whether an address is one of a file that is still open. */
  const isOpen = (objectUrl: string): boolean => addresses.has(objectUrl);

  /** Removes everything, held or not: after "Forget keys", or when a folder was deleted or has expired. */
  function clear(): void {
    for (const id of [...entries.keys()]) remove(id);
    onClear?.();
  }

  /** `hold` keeps an entry, present or to come, until the function it returns is called; `version` grows with every change. */
  const { get: version, subscribe } = changes;
  return { put, peek, use, hold: holds.hold, remove, revoke, isOpen, sweep, clear, version, subscribe };
}

/** The page's own cache. */
export const openedCache = createOpenedCache({
  nowMs: Date.now,
  onClear() {
    knownStills.get()?.shelf.clear();
    localFiles.clear();
  },
  revoke: (objectUrl) => {
    if (objectUrl.startsWith('blob:')) URL.revokeObjectURL(objectUrl);
    else void import('../media/media-client.ts').then(({ releaseStream }) => releaseStream(objectUrl));
  },
});

let sweepTimer: ReturnType<typeof setInterval> | null = null;

/** Starts the sweep of every five minutes; calling it again changes nothing. */
export function sweepOpenedFiles(): void {
  if (sweepTimer === null) sweepTimer = setInterval(openedCache.sweep, OPENED_SWEEP_MS);
}
