import type { KeyOutput, PrivateKeyOutput } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { isSlug } from '@satchel/contract/naming';
import { and, eq, gt, isNull, sql } from 'drizzle-orm';
import type { BlobStore } from '../platform/blobs.ts';
import { type Db, inTransaction, type Queryable, type Tx } from '../platform/db.ts';
import type { OpeningSealer } from '../platform/key-sealer.ts';
import type { KeptShares, KeyShares } from '../platform/key-shares.ts';
import { folders, slugs, temp_encryption_keys } from '../platform/schema.ts';
import { sameToken } from '../platform/tokens.ts';
import { freeBlobs } from './blob-removals.ts';
import { type Entrant, visibleTo } from './entry.ts';
import { type Actor, type FolderRow, lockOwnFolder } from './folders.ts';
import { type KeyRow, openDeposit } from './links.ts';
import { refuseTakenDown } from './taken-down.ts';
import { dropUploads } from './uploads.ts';

/** What a link needs from the server, and its end (CONTAINER §3). */

/** What names a key: the folder's slug, and the token that came with the folder's data; and who asks for it. */
export interface KeyAddress {
  readonly slug: string;
  readonly apiToken: string;
  readonly entrant: Entrant;
}
/** What the end of a link takes with it. */
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
 * The key at an address, while it lasts.
 * @throws key.not_found for a wrong token, too, and when folder or key has expired, the link was revoked, or whoever asks
 * may not know of the folder (DESIGN R16); folder.taken_down
 */
export async function findKey(db: Queryable, { slug, apiToken, entrant }: KeyAddress): Promise<FoundKey> {
  if (!isSlug(slug)) throw new AppError('key.not_found');
  const [found] = await db
    .select({ folder: folders, key: temp_encryption_keys })
    .from(temp_encryption_keys)
    .innerJoin(folders, eq(folders.id, temp_encryption_keys.folder_id))
    .where(
      and(
        eq(folders.slug, slug),
        visibleTo(entrant),
        isNull(folders.deleted_at),
        gt(folders.expires_at, sql`clock_timestamp()`),
        gt(temp_encryption_keys.expires_at, sql`clock_timestamp()`),
      ),
    );
  if (!found) await refuseTakenDown(db, eq(slugs.slug, slug), entrant);
  if (!found || !sameToken(found.key.api_token, apiToken)) throw new AppError('key.not_found');
  return found;
}

/**
 * What opens a private link, together with its secret.
 * @throws key.not_found when its share is gone
 */
export async function releaseKey(keyShares: KeptShares, { folder, key }: FoundKey): Promise<PrivateKeyOutput> {
  if (folder.link_mode !== 'private' || key.share_id === null) throw new AppError('key.not_found');
  const share = await keyShares.read({ folder_id: key.folder_id, share_id: key.share_id });
  if (share === null) throw new AppError('key.not_found');
  const passphrase = key.proof_hash !== null;
  return { success: true, sealed_key: key.encrypted_key, key_share: share, passphrase };
}

/**
 * What whoever has a link's address gets: a Discord link's key, what a private link needs beside its secret, or the word
 * that it takes a passphrase.
 * @param reportUnopenable told when a key is there that this server can't open
 * @throws key.not_found
 */
export async function readKey(
  { db, keyShares, keySealer }: { db: Queryable; keyShares: KeptShares; keySealer: OpeningSealer },
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

/** Until when a Discord link opens its folder by itself, which may be before the folder's end; null when it doesn't. */
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

/**
 * Ends a link within a transaction that holds the folder's row. `finishEnding` follows its commit.
 * @returns the queued blobs of the uploads that end with it
 */
export async function endLink(tx: Tx, folder: FolderRow): Promise<string[]> {
  await tx.update(folders).set({ link_mode: 'revoked' }).where(eq(folders.id, folder.id));
  await tx.delete(temp_encryption_keys).where(eq(temp_encryption_keys.folder_id, folder.id));
  // It takes no further uploads (CONTAINER §3), nor the rest of one that has begun.
  return dropUploads(tx, folder.id);
}

/**
 * What follows the commit of `endLink`: the link's share is erased, which nobody is given any more, and what the uploads
 * held is freed, since the account's books have given it back. What fails, the sweeper finds.
 */
export async function finishEnding(
  deps: LinkDeps,
  { folder, queued, report }: { folder: FolderRow; queued: readonly string[]; report: (error: unknown) => void },
): Promise<void> {
  // By the row's own id: the caller may have spelled it in capitals.
  await deps.keyShares.eraseAll(folder.id).catch(report);
  await freeBlobs(deps, queued, report);
}

/**
 * Ends a folder's link, of whatever kind, for whoever comes later. A second time does nothing.
 * @param options.report told when the share could not be erased; the sweeper erases it then
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
