import type { KeyOutput, PrivateKeyOutput } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { isSlug } from '@satchel/contract/naming';
import { and, eq, gt, isNull, sql } from 'drizzle-orm';
import type { BlobStore } from '../../platform/blobs/blobs.ts';
import { noteChange } from '../../platform/database/change-notes.ts';
import { type Db, inTransaction, type Queryable, type Tx } from '../../platform/database/db.ts';
import type { OpeningSealer } from '../../platform/keys/key-sealer.ts';
import type { KeyShares, LocalKeyShares } from '../../platform/keys/key-shares.ts';
import { sameToken } from '../../platform/keys/tokens.ts';
import { folders, slugs } from '../../platform/schema/folders.ts';
import { temp_encryption_keys } from '../../platform/schema/links.ts';
import { type Actor, type FolderRow, lockOwnFolder } from '../access/find-folder.ts';
import { type Requester, visibleTo } from '../access/folder-access.ts';
import { refuseTakenDown } from '../access/taken-down.ts';
import { purgeBlobs } from '../files/blob-purge.ts';
import { deleteUploadsOf } from '../uploads/uploads.ts';
import { type KeyRow, openDeposit } from './links.ts';

/** Reads and ends the keys of links (docs/container.md §3). */

/** The address of a key: the folder's slug, the token from the folder's data, and who asks for the key. */
export interface KeyAddress {
  readonly slug: string;
  readonly apiToken: string;
  readonly requester: Requester;
}
/** The stores that the end of a link changes. */
export interface LinkDeps {
  readonly db: Db;
  readonly blobs: BlobStore;
  readonly keyShares: KeyShares;
}
export interface FoundKey {
  readonly folder: FolderRow;
  readonly key: KeyRow;
}

/**
 * Finds the key at an address, while it lasts.
 * @throws key.not_found, also for a wrong token, when folder or key has expired, when the link was revoked, and when
 * the requester may not know of the folder; folder.taken_down
 */
export async function findKey(db: Queryable, { slug, apiToken, requester }: KeyAddress): Promise<FoundKey> {
  if (!isSlug(slug)) throw new AppError('key.not_found');
  const [found] = await db
    .select({ folder: folders, key: temp_encryption_keys })
    .from(temp_encryption_keys)
    .innerJoin(folders, eq(folders.id, temp_encryption_keys.folder_id))
    .where(
      and(
        eq(folders.slug, slug),
        visibleTo(requester),
        isNull(folders.deleted_at),
        gt(folders.expires_at, sql`clock_timestamp()`),
        gt(temp_encryption_keys.expires_at, sql`clock_timestamp()`),
      ),
    );
  if (!found) await refuseTakenDown(db, eq(slugs.slug, slug), requester);
  if (!found || !sameToken(found.key.api_token, apiToken)) throw new AppError('key.not_found');
  return found;
}

/**
 * What opens a private link together with its secret.
 * @throws key.not_found when its key share has been deleted
 */
export async function releaseKey(keyShares: LocalKeyShares, { folder, key }: FoundKey): Promise<PrivateKeyOutput> {
  if (folder.link_mode !== 'private' || key.share_id === null) throw new AppError('key.not_found');
  const share = await keyShares.read({ folder_id: key.folder_id, share_id: key.share_id });
  if (share === null) throw new AppError('key.not_found');
  const passphrase = key.proof_hash !== null;
  return { success: true, sealed_key: key.encrypted_key, key_share: share, passphrase };
}

/**
 * What the address of a link gives: a Discord link's key, what a private link needs beside its secret, or the note that
 * a passphrase is needed.
 * @param reportUnopenable is called when this server can't open the stored key
 * @throws key.not_found
 */
export async function readKey(
  { db, keyShares, keySealer }: { db: Queryable; keyShares: LocalKeyShares; keySealer: OpeningSealer },
  address: KeyAddress,
  reportUnopenable: () => void,
): Promise<KeyOutput> {
  const found = await findKey(db, address);
  const { folder, key } = found;
  if (folder.link_mode === 'discord') {
    const [encryption_key, ...earlier_keys] = openDeposit(keySealer, folder, key) ?? [];
    if (encryption_key) {
      return { success: true, encryption_key, ...(earlier_keys.length > 0 && { earlier_keys }) };
    }
    reportUnopenable();
    throw new AppError('key.not_found');
  }
  if (key.proof_hash !== null) return { success: true, passphrase: true };
  return releaseKey(keyShares, found);
}

/** When the key of a Discord link expires, which may be before the folder does; null when no key is stored. */
export async function depositEnd(db: Queryable, folder: Pick<FolderRow, 'id' | 'link_mode'>): Promise<Date | null> {
  if (folder.link_mode !== 'discord') return null;
  const [key] = await db
    .select({ expires_at: temp_encryption_keys.expires_at })
    .from(temp_encryption_keys)
    .where(
      and(eq(temp_encryption_keys.folder_id, folder.id), gt(temp_encryption_keys.expires_at, sql`clock_timestamp()`)),
    );
  return key?.expires_at ?? null;
}

/** True for an encrypted folder whose key the server does not have. */
export const lacksKey = async (db: Queryable, folder: Pick<FolderRow, 'id' | 'link_mode'>): Promise<boolean> =>
  folder.link_mode !== 'plain' && (await depositEnd(db, folder)) === null;

/**
 * Ends a link within a transaction that holds the lock of the folder's row. The caller calls `finishEnding` after the
 * commit.
 * @returns the queued blobs of the uploads that end with the link
 */
export async function endLink(tx: Tx, folder: FolderRow): Promise<string[]> {
  noteChange(tx, folder.id);
  await tx.update(folders).set({ link_mode: 'revoked' }).where(eq(folders.id, folder.id));
  await tx.delete(temp_encryption_keys).where(eq(temp_encryption_keys.folder_id, folder.id));
  // A revoked link takes no further uploads (docs/container.md §3), and ends uploads that have begun.
  return deleteUploadsOf(tx, folder.id);
}

/**
 * Finishes `endLink` after its commit: deletes the link's key share, and purges the blobs of its uploads, whose quota
 * has been given back. The sweeper finds what fails here.
 */
export async function finishEnding(
  deps: LinkDeps,
  { folder, queued, report }: { folder: FolderRow; queued: readonly string[]; report: (error: unknown) => void },
): Promise<void> {
  // Uses the id of the row: the caller may have spelled it in capitals.
  await deps.keyShares.deleteAll(folder.id).catch(report);
  await purgeBlobs(deps, queued, report);
}

/**
 * Ends a folder's link of any kind for later readers. A second call does nothing.
 * @param options.report is called when the key share could not be deleted; the sweeper purges it later
 * @throws folder.not_found, folder.expired, folder.forbidden, key.not_found for a plain folder
 */
export async function revokeKey(
  deps: LinkDeps,
  { viewer, folderId, report }: { viewer: Actor; folderId: string; report: (error: unknown) => void },
): Promise<void> {
  const ended = await inTransaction(deps.db, async (tx) => {
    const folder = await lockOwnFolder(tx, folderId, viewer);
    if (folder.link_mode === 'plain') throw new AppError('key.not_found');
    return { folder, queued: await endLink(tx, folder) };
  });
  await finishEnding(deps, { ...ended, report });
}
