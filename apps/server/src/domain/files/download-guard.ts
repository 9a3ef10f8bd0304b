import { and, eq, gt, inArray, isNull, sql } from 'drizzle-orm';
import type { Queryable } from '../platform/db.ts';
import { files, folders } from '../platform/schema.ts';

/** Bytes of a file on their way to a reader. */
export interface Send {
  /** The version that is sent: a file that is replaced gets another one. */
  readonly blobKey: string;
  /** Asked of a restricted folder's alone. */
  readonly mayRead: () => Promise<boolean>;
  /** Called once, when the file is gone. */
  readonly cut: () => void;
}

/**
 * Ends what is being sent of a file that is not there any more: deleted, replaced, taken down, or with its folder's time
 * up, by whatever node and however its life was changed meanwhile (DESIGN R11); or not there for this reader, since its
 * folder is restricted now (R16). An open file keeps its space on the disk, also when it is unlinked: readers of replaced
 * versions that take their time would hold more than any quota. All sends together are one small query a second, and those
 * of restricted folders one each.
 */
export interface SendWatch {
  /**
   * Watches over a send that has begun.
   * @returns to be called when the send is over
   */
  begin(send: Send): () => void;
  close(): void;
}

const CHECK_MS = 1000;
/** Without word from the database for so long, a file counts as gone: nobody knows any more that it is not. */
const UNKNOWN_MAX_MS = 30_000;
const BATCH = 1000;

type Access = (typeof folders.$inferSelect)['access'];

/** Those of the blobs that are a file's at this moment, by the database's clock. */
async function stillThere(db: Queryable, blobKeys: readonly string[]): Promise<Map<string, Access>> {
  const there = new Map<string, Access>();
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
    for (const { blobKey, access } of rows) there.set(blobKey, access);
  }
  return there;
}

export function createSendWatch({ db, report }: { db: Queryable; report: (error: unknown) => void }): SendWatch {
  const sends = new Set<Send>();
  let timer: NodeJS.Timeout | undefined;
  let checkedAtMs = 0;

  function cut(send: Send): void {
    if (sends.delete(send)) send.cut();
  }

  async function check(): Promise<void> {
    // Those that begin meanwhile have just been looked up, and have their turn the next time.
    const sent = [...sends];
    try {
      const there = await stillThere(db, [...new Set(sent.map(({ blobKey }) => blobKey))]);
      for (const send of sent) {
        const access = there.get(send.blobKey);
        const isAllowed = access === 'restricted' ? await send.mayRead() : access !== undefined;
        if (!isAllowed) cut(send);
      }
      checkedAtMs = performance.now();
    } catch (error) {
      report(error);
      if (performance.now() - checkedAtMs > UNKNOWN_MAX_MS) sent.forEach(cut);
    }
  }

  /** Runs while anything is being sent. */
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
