import { and, eq, gt, inArray, isNull, sql } from 'drizzle-orm';
import type { Db } from '../platform/db.ts';
import { files, folders } from '../platform/schema.ts';

/**
 * Ends what is being sent of a file that is not there any more: deleted, taken down, or with its folder's time up, by
 * whatever node and however its life was changed meanwhile (DESIGN R11). All sends together are one small query a second.
 */
export interface SendWatch {
  /**
   * Watches over a send that has begun.
   * @param cut called once when the file is gone
   * @returns to be called when the send is over
   */
  begin(fileId: string, cut: () => void): () => void;
  close(): void;
}

const CHECK_MS = 1000;
/** Without word from the database for so long, a file counts as gone: nobody knows any more that it is not. */
const UNKNOWN_MAX_MS = 30_000;
const BATCH = 1000;

interface Send {
  readonly fileId: string;
  readonly cut: () => void;
}

/** Those of the files that may be read at this moment, by the database's clock. A replaced file is still there. */
async function stillThere(db: Db, fileIds: readonly string[]): Promise<Set<string>> {
  const there = new Set<string>();
  for (let from = 0; from < fileIds.length; from += BATCH) {
    const rows = await db
      .select({ id: files.id })
      .from(files)
      .innerJoin(folders, eq(folders.id, files.folder_id))
      .where(
        and(
          inArray(files.id, fileIds.slice(from, from + BATCH)),
          isNull(folders.deleted_at),
          gt(folders.expires_at, sql`clock_timestamp()`),
        ),
      );
    for (const { id } of rows) there.add(id);
  }
  return there;
}

export function createSendWatch({ db, report }: { db: Db; report: (error: unknown) => void }): SendWatch {
  const sends = new Set<Send>();
  let timer: NodeJS.Timeout | undefined;
  let checkedAtMs = 0;

  function cutUnless(sent: readonly Send[], there: ReadonlySet<string>): void {
    for (const send of sent) {
      if (!there.has(send.fileId) && sends.delete(send)) send.cut();
    }
  }

  async function check(): Promise<void> {
    // Those that begin meanwhile have just been looked up, and have their turn the next time.
    const sent = [...sends];
    try {
      cutUnless(sent, await stillThere(db, [...new Set(sent.map(({ fileId }) => fileId))]));
      checkedAtMs = performance.now();
    } catch (error) {
      report(error);
      if (performance.now() - checkedAtMs > UNKNOWN_MAX_MS) cutUnless(sent, new Set());
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
    begin(fileId, cut) {
      const send = { fileId, cut };
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
