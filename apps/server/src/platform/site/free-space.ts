import { statfs } from 'node:fs/promises';

/** The space of the disk below a folder, looked at every few seconds at most. */
export interface FreeSpace {
  /** For the process's user, and of the whole file system; null where that can't be known. */
  read(): Promise<{ readonly freeBytes: number; readonly sizeBytes: number } | null>;
  /** True when less is free than the operator wants to keep free. */
  isShort(): Promise<boolean>;
}

const KNOWN_FOR_MS = 2000;

/**
 * @param dir a folder of the file system
 * @param keptFreeBytes what is to stay free (DISK_KEPT_FREE_BYTES)
 */
export function createFreeSpace(dir: string, keptFreeBytes: number): FreeSpace {
  let known: ReturnType<FreeSpace['read']> | null = null;
  let readAtMs = 0;
  const read: FreeSpace['read'] = () => {
    if (known && performance.now() - readAtMs < KNOWN_FOR_MS) return known;
    readAtMs = performance.now();
    known = statfs(dir).then(
      ({ bavail, blocks, bsize }) => ({ freeBytes: bavail * bsize, sizeBytes: blocks * bsize }),
      () => null,
    );
    return known;
  };
  return {
    read,
    async isShort() {
      const space = await read();
      return space !== null && space.freeBytes < keptFreeBytes;
    },
  };
}
