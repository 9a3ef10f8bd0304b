import { AppError } from '@satchel/contract/errors';
import { and, eq, gt, lte, sql } from 'drizzle-orm';
import { type Db, inTransaction, type Queryable, type Tx } from '../platform/db.ts';
import { folder_grants, folder_guests } from '../platform/schema.ts';
import { folder_shares } from '../platform/schema-bot.ts';
import { hashToken, newToken } from '../platform/tokens.ts';
import { deleteInBatches } from './batches.ts';
import { lockFolder } from './folders.ts';

/** How people get into a restricted folder (DESIGN R16): a click in Discord gives a grant, a browser redeems it. */

/** From the click to the page there is a redirect and little else. */
const GRANT_LIFE = sql`interval '5 minutes'`;
const NOW = sql`clock_timestamp()`;

/**
 * Makes a grant, good once and for five minutes. It is told once, here, and kept only as a hash. The caller has made
 * sure that whoever gets it may come in.
 * @param tx a transaction that holds the folder's row: whoever restricts the folder meanwhile forgets this one, too
 */
export async function addGrant(tx: Tx, folderId: string): Promise<string> {
  const grant = newToken();
  await tx
    .insert(folder_grants)
    .values({ token_hash: hashToken(grant), folder_id: folderId, expires_at: sql`${NOW} + ${GRANT_LIFE}` });
  return grant;
}

/** @throws folder.not_found, folder.expired */
export async function createGrant(db: Db, folderId: string): Promise<string> {
  return inTransaction(db, async (tx) => {
    await lockFolder(tx, folderId);
    return addGrant(tx, folderId);
  });
}

const openGrant = (grant: string) =>
  and(eq(folder_grants.token_hash, hashToken(grant)), gt(folder_grants.expires_at, NOW));

/** To who comes with a grant it is all the same why it opens nothing. */
function asInvalid(error: unknown): never {
  const isOver = error instanceof AppError && (error.code === 'folder.not_found' || error.code === 'folder.expired');
  throw isOver ? new AppError('grant.invalid', {}, { cause: error }) : error;
}

/**
 * Lets a browser into the folder of a grant. Of many who try the same one at once, one gets in.
 * @param holder the browser's own token
 * @returns the folder's slug
 * @throws grant.invalid for one that is unknown, used or too old, and when its folder is gone or expired
 */
export async function redeemGrant(db: Db, grant: string, holder: string): Promise<string> {
  return inTransaction(db, async (tx) => {
    const [found] = await tx.select().from(folder_grants).where(openGrant(grant));
    if (!found) throw new AppError('grant.invalid');
    // The folder before the grant, as everybody else who needs both: see forgetGuests.
    const folder = await lockFolder(tx, found.folder_id).catch(asInvalid);
    const [used] = await tx.delete(folder_grants).where(openGrant(grant)).returning();
    if (!used) throw new AppError('grant.invalid');
    await tx
      .insert(folder_guests)
      .values({ folder_id: folder.id, holder_hash: hashToken(holder) })
      .onConflictDoNothing();
    return folder.slug;
  });
}

/**
 * Shuts out whoever was let in, and whoever was about to be, by a grant or by a card that was posted before. The caller
 * has locked the folder's row.
 */
export async function forgetGuests(tx: Tx, folderId: string): Promise<void> {
  await tx.delete(folder_shares).where(eq(folder_shares.folder_id, folderId));
  await tx.delete(folder_grants).where(eq(folder_grants.folder_id, folderId));
  await tx.delete(folder_guests).where(eq(folder_guests.folder_id, folderId));
}

/** Deletes the grants that were not redeemed in time. Several nodes may do so at once. */
export const forgetExpiredGrants = (db: Queryable, signal?: AbortSignal): Promise<void> =>
  deleteInBatches(db, folder_grants, lte(folder_grants.expires_at, sql`now()`), signal);
