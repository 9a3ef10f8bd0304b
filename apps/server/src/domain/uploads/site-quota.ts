import { AppError } from '@satchel/contract/errors';
import { sql } from 'drizzle-orm';
import { type Queryable, rowsOf } from '../../platform/database/db.ts';
import { profiles } from '../../platform/schema/accounts.ts';
import type { FreeSpace } from '../../platform/site/free-space.ts';

/** The space for all uploads of a site together: the operator's limit, and the free space of the disk. */
export interface SiteQuota {
  /**
   * Takes the bytes of an upload that begins.
   * @throws upload.site_full, storage.full
   */
  take(bytes: number): Promise<void>;
}

/** The sum reads every account, so it is not computed for each upload. */
const KNOWN_FOR_MS = 5000;

interface Known {
  readonly atMs: number;
  readonly bookedBytes: Promise<number>;
  /** Bytes of uploads that began here since the sum was asked for: they may count twice for a moment, and always count. */
  sinceBytes: number;
}

const sumOf = async (db: Queryable): Promise<number> => {
  const sum = sql`coalesce(sum(${profiles.used_bytes} + ${profiles.reserved_bytes}), 0)::float8 as sum`;
  return rowsOf<{ sum: number }>(await db.execute(sql`select ${sum} from ${profiles}`))[0]!.sum;
};

/**
 * @param storageBytes SITE_STORAGE_BYTES, or null for no limit. Other nodes may exceed it by the uploads that begin
 * there within five seconds.
 */
export function createSiteQuota(db: Queryable, freeSpace: FreeSpace, storageBytes: number | null): SiteQuota {
  let known: Known | null = null;

  function current(): Known {
    if (known && performance.now() - known.atMs < KNOWN_FOR_MS) return known;
    const asked = { atMs: performance.now(), bookedBytes: sumOf(db), sinceBytes: 0 };
    asked.bookedBytes.catch(() => {
      if (known === asked) known = null;
    });
    known = asked;
    return asked;
  }

  return {
    async take(bytes) {
      if (await freeSpace.isShort()) throw new AppError('storage.full');
      if (storageBytes === null) return;
      const sum = current();
      const bookedBytes = await sum.bookedBytes;
      if (bookedBytes + sum.sinceBytes + bytes > storageBytes) throw new AppError('upload.site_full');
      sum.sinceBytes += bytes;
    },
  };
}
