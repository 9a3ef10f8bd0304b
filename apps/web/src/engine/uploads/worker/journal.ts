import type { UploadLog } from '../log/upload-log.ts';

/** One upload's part of the log. */
export interface Journal {
  setUrl(url: string): Promise<void>;
  /** Resolves once the tags are durable. */
  append(firstChunk: number, tags: Uint8Array<ArrayBuffer>): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Writes to the log, as long as there is one. Where the browser has no room for the log, or no log, the upload still runs,
 * and only a reload ends it. Its entry must then be deleted first: a log that lacks tags could make a later page send other
 * content under the same baseCounter (CONTAINER §5).
 */
export function createJournal(log: UploadLog | null, id: string): Journal {
  let target = log;

  async function write(work: (log: UploadLog) => Promise<void>): Promise<void> {
    if (!target) return;
    try {
      await work(target);
    } catch {
      await target.remove(id);
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
