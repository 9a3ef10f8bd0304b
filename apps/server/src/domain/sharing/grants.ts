import { AppError } from '@satchel/contract/errors';
import { and, eq, gt, sql } from 'drizzle-orm';
import { type Db, inTransaction, type Tx } from '../../platform/database/db.ts';
import { hashToken, newToken } from '../../platform/keys/tokens.ts';
import { folder_grants, folder_guests, folder_shares } from '../../platform/schema/links.ts';
import { lockFolder } from '../access/find-folder.ts';

/** Lets people into a restricted folder: a click in Discord creates a grant, a browser redeems it. */

/** Enough for the redirect between the click and the page. */
const GRANT_LIFE = sql`interval '5 minutes'`;
const NOW = sql`clock_timestamp()`;

/**
 * Creates a grant, good once and for five minutes. Only this call returns its token; the database stores a hash. The
 * caller has checked that its receiver may come in.
 * @param tx a transaction that holds the lock of the folder's row: a restriction that follows deletes this grant, too
 */
export async function addGrant(tx: Tx, folderId: string): Promise<string> {
  const grant = newToken();
  await tx
    .insert(folder_grants)
    .values({ token_hash: hashToken(grant), folder_id: folderId, expires_at: sql`${NOW} + ${GRANT_LIFE}` });
  return grant;
}

const openGrant = (grant: string) =>
  and(eq(folder_grants.token_hash, hashToken(grant)), gt(folder_grants.expires_at, NOW));

/** A grant that opens nothing answers the same for every reason. */
function asInvalid(error: unknown): never {
  const isOver = error instanceof AppError && (error.code === 'folder.not_found' || error.code === 'folder.expired');
  throw isOver ? new AppError('grant.invalid', {}, { cause: error }) : error;
}

/**
 * Lets a browser into the folder of a grant. Of several that redeem the same grant at once, one gets in.
 * @param holder the browser's own token
 * @returns the folder's slug
 * @throws grant.invalid for a grant that is unknown, used or too old, and when its folder has been deleted or has
 * expired
 */
export async function redeemGrant(db: Db, grant: string, holder: string): Promise<string> {
  return inTransaction(db, async (tx) => {
    const [found] = await tx.select().from(folder_grants).where(openGrant(grant));
    if (!found) throw new AppError('grant.invalid');
    // The folder is locked before the grant, as in every transaction that needs both: see deleteGuests.
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

/** Deletes all guests of a folder, its open grants and its invitations. The caller has locked the folder's row. */
export async function deleteGuests(tx: Tx, folderId: string): Promise<void> {
  await tx.delete(folder_shares).where(eq(folder_shares.folder_id, folderId));
  await tx.delete(folder_grants).where(eq(folder_grants.folder_id, folderId));
  await tx.delete(folder_guests).where(eq(folder_guests.folder_id, folderId));
}
