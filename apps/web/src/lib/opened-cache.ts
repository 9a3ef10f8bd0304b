import { MIB, OPENED_IDLE_MS, OPENED_SWEEP_MS } from '@satchel/contract/limits';
import { releaseStream } from './media-client.ts';
import type { OpenedFile } from './open-client.ts';

/** Opened files of this page (§3 "Decrypted-file cache entry", §9). */

export interface OpenedEntry {
  readonly file: Blob | null;
  readonly objectUrl: string | null;
  readonly metadata: { readonly name: string; readonly type: string; readonly sizeBytes: number };
  /** Milliseconds since the epoch. */
  lastAccessed: number;
}

export interface OpenedCacheDeps {
  readonly nowMs: () => number;
  readonly revoke: (objectUrl: string) => void;
  /** The least recently used entries go first once the blobs are more than this together, in bytes. */
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

/** A cache of opened files by file id. */
export function createOpenedCache({ nowMs, revoke, maxBytes = DEFAULT_MAX_BYTES }: OpenedCacheDeps) {
  const entries = new Map<string, OpenedEntry>();
  const holders = new Map<string, number>();
  const listeners = new Set<() => void>();
  let version = 0;

  function changed(): void {
    version += 1;
    for (const listener of listeners) listener();
  }

  const discard = ({ objectUrl }: Pick<OpenedFile, 'objectUrl'>): void => {
    if (objectUrl !== null) revoke(objectUrl);
  };

  function remove(id: string): void {
    const entry = entries.get(id);
    if (!entry) return;
    entries.delete(id);
    discard(entry);
    changed();
  }

  function removeWhere(matches: (id: string, entry: OpenedEntry) => boolean): void {
    for (const [id, entry] of [...entries]) if (matches(id, entry)) remove(id);
  }

  function makeRoom(keptId: string): void {
    const free = [...entries].filter(([id]) => id !== keptId && !holders.has(id));
    free.sort(([, a], [, b]) => a.lastAccessed - b.lastAccessed);
    let usedBytes = 0;
    for (const { file } of entries.values()) usedBytes += file?.size ?? 0;
    for (const [id, { file }] of free) {
      if (usedBytes <= maxBytes) return;
      usedBytes -= file?.size ?? 0;
      remove(id);
    }
  }

  function put(id: string, { blob, objectUrl, name, type, sizeBytes }: OpenedFile): void {
    remove(id);
    entries.set(id, { file: blob, objectUrl, metadata: { name, type, sizeBytes }, lastAccessed: nowMs() });
    makeRoom(id);
    changed();
  }

  /** What is there, without counting as use. */
  function peek(id: string): OpenedFile | null {
    const entry = entries.get(id);
    return entry ? toOpened(entry) : null;
  }

  /** What is there; it counts as used now. */
  function use(id: string): OpenedFile | null {
    const entry = entries.get(id);
    if (!entry) return null;
    entry.lastAccessed = nowMs();
    return toOpened(entry);
  }

  /** Keeps the file's entry, present or to come, until the returned function is called: its viewer is open. */
  function hold(id: string): () => void {
    holders.set(id, (holders.get(id) ?? 0) + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const left = (holders.get(id) ?? 1) - 1;
      if (left > 0) holders.set(id, left);
      else holders.delete(id);
      use(id);
    };
  }

  return {
    put,
    peek,
    use,
    hold,
    remove,
    /** Drops what nobody has used for more than ten minutes and nobody holds. */
    sweep: () => removeWhere((id, { lastAccessed }) => !holders.has(id) && nowMs() - lastAccessed > OPENED_IDLE_MS),
    /** Drops everything, held or not: at sign-out with "Forget keys", or when a folder is gone. */
    clear: () => removeWhere(() => true),
    /** Revokes the address of a file that nobody waits for any more. */
    discard,
    /** Changes with every file that comes or goes. */
    version: (): number => version,
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The page's own cache. */
export const openedCache = createOpenedCache({
  nowMs: Date.now,
  revoke: (objectUrl) => {
    if (objectUrl.startsWith('blob:')) URL.revokeObjectURL(objectUrl);
    else releaseStream(objectUrl);
  },
});

let sweepTimer: ReturnType<typeof setInterval> | null = null;

/** Starts the sweep of every five minutes; calling it again changes nothing. */
export function sweepOpenedFiles(): void {
  if (sweepTimer === null) sweepTimer = setInterval(openedCache.sweep, OPENED_SWEEP_MS);
}
