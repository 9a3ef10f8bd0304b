import { AppError } from '@satchel/contract/errors';
import { and, eq, isNotNull, or, type SQL } from 'drizzle-orm';
import type { Queryable } from '../platform/db.ts';
import { folders, slugs } from '../platform/schema.ts';
import { type Entrant, visibleTo } from './entry.ts';

/**
 * For a folder that is not there: says so when an operator took it down, and why. Of a restricted one its owner alone
 * hears that, as long as its tombstone says who that was; to all others there never was one (DESIGN R16).
 * @param kept which slug: by itself, or by the id or the storage path that is kept of its folder
 * @throws folder.taken_down
 */
export async function refuseTakenDown(db: Queryable, kept: SQL, entrant: Entrant): Promise<void> {
  const [taken] = await db
    .select({ reason: slugs.taken_down_reason })
    .from(slugs)
    .leftJoin(folders, eq(folders.id, slugs.folder_id))
    .where(and(kept, isNotNull(slugs.taken_down_reason), or(eq(slugs.restricted, false), visibleTo(entrant))));
  if (taken?.reason) throw new AppError('folder.taken_down', { reason: taken.reason });
}
