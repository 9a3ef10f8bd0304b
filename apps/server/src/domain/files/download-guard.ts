import { and, eq, gt, inArray, isNull, sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/db.ts';
import { files } from '../../platform/schema/files.ts';
import { folders } from '../../platform/schema/folders.ts';

/** An answer that is being sent to a reader. */
export interface Send {
  /** The blob of the file that is being sent: a file that is replaced gets another one. */
  readonly blobKey: () => string;
  /** Checked only when the folder is restricted. */
  readonly mayRead: () => Promise<boolean>;
  /** Called once, when the reader may not have the file any more. */
  readonly cut: () => void;
}

/**
 * Cuts downloads of files that have been deleted, replaced, taken down or have expired, whichever node changed them,
 * and those whose reader may not see the folder since it was restricted. An open file keeps its
 * space on disk even when it is unlinked: slow readers of replaced versions could hold more than any quota. One small
 * query a second checks all downloads, and one more each download from a restricted folder.
 */
export interface DownloadGuard {
  /**
   * Watches a download that has begun.
   * @returns call it when the download has ended
   */
  begin(send: Send): () => void;
  close(): void;
}

const CHECK_MS = 1000;
/** Downloads are cut when the database has not answered for this long: a deletion would go unnoticed. */
const UNKNOWN_MAX_MS = 30_000;
const BATCH = 1000;

type Access = (typeof folders.$inferSelect)['access'];

/** Which of the blobs still are a live file, by the database's clock. */
async function accessOfLive(db: Queryable, blobKeys: readonly string[]): Promise<Map<string, Access>> {
  const live = new Map<string, Access>();
  for (let from = 0; from < blobKeys.length; from += BATCH) {
    const rows = await db
      .select({ blobKey: files.blob_key, access: folders.access })
      .from(files)
      .innerJoin(folders, eq(folders.id, files.folder_id))
      .where(
        and(
          inArray(files.blob_key, blobKeys.slice(from, from + BATCH)),
          isNull(folders.deleted_at),
          gt(folders.expires_at, sql`clock_timestamp()`),
        ),
      );
    for (const { blobKey, access } of rows) live.set(blobKey, access);
  }
  return live;
}

export function createDownloadGuard({
  db,
  report,
}: {
  db: Queryable;
  report: (error: unknown) => void;
}): DownloadGuard {
  const sends = new Set<Send>();
  let timer: NodeJS.Timeout | undefined;
  let checkedAtMs = 0;

  function cut(send: Send): void {
    if (sends.delete(send)) send.cut();
  }

  async function check(): Promise<void> {
    // Downloads that begin during the query are checked the next time.
    const sent = [...sends].map((send) => ({ send, blobKey: send.blobKey() }));
    try {
      const live = await accessOfLive(db, [...new Set(sent.map(({ blobKey }) => blobKey))]);
      for (const { send, blobKey } of sent) {
        const access = live.get(blobKey);
        const isAllowed = access === 'restricted' ? await send.mayRead() : access !== undefined;
        if (!isAllowed) cut(send);
      }
      checkedAtMs = performance.now();
    } catch (error) {
      report(error);
      if (performance.now() - checkedAtMs > UNKNOWN_MAX_MS) for (const { send } of sent) cut(send);
    }
  }

  /** Schedules the next check while anything is being sent. */
  function checkSoon(): void {
    if (timer || sends.size === 0) return;
    timer = setTimeout(async () => {
      await check();
      timer = undefined;
      checkSoon();
    }, CHECK_MS);
  }

  return {
    begin(send) {
      if (sends.size === 0) checkedAtMs = performance.now();
      sends.add(send);
      checkSoon();
      return () => void sends.delete(send);
    },
    close() {
      clearTimeout(timer);
      sends.clear();
    },
  };
}
