import { AppError } from '@satchel/contract/errors';
import { and, eq, isNotNull, or, type SQL } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/db.ts';
import { folders, slugs } from '../../platform/schema/folders.ts';
import { type Requester, visibleTo } from './folder-access.ts';

/**
 * Refuses with the reason when an operator took the folder down. For a restricted folder only its owner gets the
 * reason, for as long as the row of the deleted folder names the owner; everyone else gets the answer for an unknown
 * folder.
 * @param kept condition on `slugs`: the slug itself, or the id or storage path that it keeps of its folder
 * @throws folder.taken_down
 */
export async function refuseTakenDown(db: Queryable, kept: SQL, requester: Requester): Promise<void> {
  const [taken] = await db
    .select({ reason: slugs.taken_down_reason })
    .from(slugs)
    .leftJoin(folders, eq(folders.id, slugs.folder_id))
    .where(and(kept, isNotNull(slugs.taken_down_reason), or(eq(slugs.restricted, false), visibleTo(requester))));
  if (taken?.reason) throw new AppError('folder.taken_down', { reason: taken.reason });
}
