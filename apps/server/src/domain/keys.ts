import type { PrivateKeyOutput } from '@satchel/contract/api';
import type { TempKeyInfo } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { isSlug } from '@satchel/contract/naming';
import { and, eq, gt, isNull, sql } from 'drizzle-orm';
import type { Db } from '../platform/db.ts';
import type { KeyShares } from '../platform/key-shares.ts';
import { folders, temp_encryption_keys } from '../platform/schema.ts';
import { newToken, sameToken } from '../platform/tokens.ts';
import { type FolderRow, lockFolder, requireOwner, type Viewer } from './folders.ts';
import { dropUploads } from './uploads.ts';

/** What a private link needs from the server, and its end (CONTAINER §3). */

type KeyRow = typeof temp_encryption_keys.$inferSelect;

export const toTempKeyInfo = (key: KeyRow): TempKeyInfo => ({
  api_token: key.api_token,
  expires_at: key.expires_at.toISOString(),
  created_at: key.created_at.toISOString(),
});

/** Keeps the sealed key of a new folder; its share is written beside the database, never into it. */
export async function depositKey(tx: Db, folder: FolderRow, sealedKey: string): Promise<KeyRow> {
  const [key] = await tx
    .insert(temp_encryption_keys)
    .values({
      folder_id: folder.id,
      slug: folder.slug,
      encrypted_key: sealedKey,
      expires_at: folder.expires_at,
      owner_user_id: folder.owner_profile_id,
      api_token: newToken(),
    })
    .returning();
  return key!;
}

/**
 * What opens a private link, together with its secret.
 * @throws key.not_found for a wrong token, too, and when the folder has expired or its link was revoked
 */
export async function readKey(
  { db, keyShares }: { db: Db; keyShares: KeyShares },
  { slug, apiToken }: { slug: string; apiToken: string },
): Promise<PrivateKeyOutput> {
  if (!isSlug(slug)) throw new AppError('key.not_found');
  const [found] = await db
    .select({ key: temp_encryption_keys })
    .from(temp_encryption_keys)
    .innerJoin(folders, eq(folders.id, temp_encryption_keys.folder_id))
    .where(
      and(
        eq(folders.slug, slug),
        eq(folders.link_mode, 'private'),
        isNull(folders.deleted_at),
        gt(folders.expires_at, sql`now()`),
        gt(temp_encryption_keys.expires_at, sql`now()`),
      ),
    );
  if (!found || !sameToken(found.key.api_token, apiToken)) throw new AppError('key.not_found');
  const share = await keyShares.read(found.key.folder_id);
  if (share === null) throw new AppError('key.not_found');
  return { success: true, sealed_key: found.key.encrypted_key, key_share: share, passphrase: false };
}

/**
 * Ends a folder's link for whoever comes later. A second time does nothing.
 * @throws folder.not_found, folder.expired, folder.forbidden, key.not_found for a plain folder
 */
export async function revokeKey(
  { db, keyShares }: { db: Db; keyShares: KeyShares },
  viewer: Viewer,
  folderId: string,
): Promise<void> {
  const revoked = await db.transaction(async (tx) => {
    const folder = await lockFolder(tx, folderId);
    requireOwner(folder, viewer);
    if (folder.link_mode === 'plain') throw new AppError('key.not_found');
    await tx.update(folders).set({ link_mode: 'revoked' }).where(eq(folders.id, folder.id));
    await tx.delete(temp_encryption_keys).where(eq(temp_encryption_keys.folder_id, folder.id));
    // It takes no further uploads (CONTAINER §3), nor the rest of one that has begun.
    await dropUploads(tx, folder.id);
    return folder;
  });
  // After the commit: nobody is given the share from here on, and should this fail, the sweeper finds it unclaimed.
  await keyShares.erase(revoked.id);
}
