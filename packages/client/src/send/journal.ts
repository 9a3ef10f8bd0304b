import { pause } from '../pause.ts';
import type { Bytes, UploadLog } from './ports.ts';

/** One upload's part of the log. */
export interface Journal {
  setUrl(url: string): Promise<void>;
  /** Resolves once the tags are durable. */
  append(firstChunk: number, tags: Bytes): Promise<void>;
  remove(): Promise<void>;
}

/** A browser may abort a transaction by itself, such as on a slow disk. Writing the same tags twice does no harm. */
const PAUSES_MS = [250, 1000, 4000];

/** Whether a retry may succeed: it can't where the storage is full or the entry was deleted. */
const mayPass = (error: unknown): boolean => error instanceof DOMException && error.name !== 'QuotaExceededError';

/** Writes to the log, and again where the browser aborted that. @throws why it could not be written */
export async function writePatiently(
  write: () => Promise<void>,
  pausesMs: readonly number[] = PAUSES_MS,
): Promise<void> {
  for (const pauseMs of pausesMs) {
    try {
      return await write();
    } catch (error) {
      if (!mayPass(error)) throw error;
      await pause(pauseMs);
    }
  }
  return write();
}

/**
 * Writes to the log, as long as there is one. Where the browser has no room for the log, or no log, the upload still runs,
 * and only a reload ends it. Its entry must then be deleted first: a log that lacks tags could make a later page send other
 * content under the same baseCounter.
 */
export function createJournal(log: UploadLog | null, id: string, pausesMs?: readonly number[]): Journal {
  let target = log;

  async function write(work: (log: UploadLog) => Promise<void>): Promise<void> {
    const open = target;
    if (!open) return;
    try {
      await writePatiently(() => work(open), pausesMs);
    } catch {
      await open.remove(id);
      target = null;
    }
  }

  return {
    setUrl: (url) => write((open) => open.setUrl(id, url)),
    append: (firstChunk, tags) => write((open) => open.appendTags(id, firstChunk, tags)),
    async remove() {
      await target?.remove(id);
    },
  };
}
