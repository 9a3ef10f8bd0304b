import { createStore } from '../../../lib/base/external-store.ts';
import type { Still, StillSource } from './draw-still.ts';

/** Stills by the address of the opened file that they were drawn from. Few are kept, and none longer than its file. */

export interface KeptStill {
  /** For `src`; null when the file can't be drawn here. */
  readonly url: string | null;
  readonly durationSeconds: number | null;
}

export interface StillsDeps {
  readonly draw: (source: StillSource) => Promise<Still>;
  readonly createUrl: (picture: Blob) => string;
  readonly revoke: (url: string) => void;
  /** Above this number, stills that are not shown are revoked. */
  readonly maxStills?: number;
}

/** Some 30 KB each. */
const DEFAULT_MAX_STILLS = 160;

/** All drawn stills: the visible ones, and the latest of the others. */
function createShelf(maxStills: number, isShown: (src: string) => boolean, revoke: (url: string) => void) {
  const kept = new Map<string, KeptStill>();

  function remove(src: string): void {
    const url = kept.get(src)?.url;
    kept.delete(src);
    if (url) revoke(url);
  }

  function trim(): void {
    for (const src of [...kept.keys()]) {
      if (kept.size <= maxStills) return;
      if (!isShown(src)) remove(src);
    }
  }

  function put(src: string, still: KeptStill): void {
    kept.set(src, still);
    trim();
  }

  /** Moves a still to the end of the order of removal. */
  function touch(src: string): void {
    const still = kept.get(src);
    if (!still) return;
    kept.delete(src);
    kept.set(src, still);
  }

  function keepOnly(isOpen: (src: string) => boolean): void {
    for (const src of [...kept.keys()]) if (!isOpen(src)) remove(src);
  }

  return { get: (src: string): KeptStill | null => kept.get(src) ?? null, put, touch, trim, keepOnly };
}

/** Stills, drawn one at a time. */
export function createStills({ draw, createUrl, revoke, maxStills = DEFAULT_MAX_STILLS }: StillsDeps) {
  const wanted = new Map<string, { source: StillSource; count: number }>();
  const shelf = createShelf(maxStills, (src) => wanted.has(src), revoke);
  const changes = createStore(0);
  let isDrawing = false;

  async function drawNext(): Promise<void> {
    const next = [...wanted.values()].find(({ source }) => shelf.get(source.src) === null);
    if (isDrawing || !next) return;
    isDrawing = true;
    const { src } = next.source;
    const still = await draw(next.source).catch(() => {
      // Image and video load errors are only logged; the code says all.
      console.warn('A thumbnail could not be drawn.');
      return null;
    });
    isDrawing = false;
    // The card may have left the screen, and its file may be closed.
    if (wanted.has(src)) {
      const durationSeconds = still?.durationSeconds ?? null;
      shelf.put(src, { url: still && createUrl(still.picture), durationSeconds });
      changes.set(changes.get() + 1);
    }
    void drawNext();
  }

  /** Requests a still while it is on screen; call the returned function afterwards. */
  function want(source: StillSource): () => void {
    const { src } = source;
    wanted.set(src, { source, count: (wanted.get(src)?.count ?? 0) + 1 });
    shelf.touch(src);
    void drawNext();
    let isWanted = true;
    return () => {
      if (!isWanted) return;
      isWanted = false;
      const count = (wanted.get(src)?.count ?? 1) - 1;
      if (count > 0) wanted.set(src, { source, count });
      else wanted.delete(src);
      shelf.trim();
    };
  }

  /** `keepOnly` removes the stills of files that are no longer open. */
  return { get: shelf.get, want, keepOnly: shelf.keepOnly, subscribe: changes.subscribe };
}
