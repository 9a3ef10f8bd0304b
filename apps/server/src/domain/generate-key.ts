import type { GenerateKeyInput } from '@satchel/contract/api';
import type { TempKeyInfo } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { eq, sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { Db } from '../platform/db.ts';
import type { KeySealer } from '../platform/key-sealer.ts';
import type { KeyShares } from '../platform/key-shares.ts';
import { folders, temp_encryption_keys } from '../platform/schema.ts';
import { type FolderRow, lockOwnFolder, ownFolder, type Viewer } from './folders.ts';
import {
  type Deposit,
  depositKey,
  type KeyedLink,
  type KeyRow,
  linkOf,
  toTempKeyInfo,
  withdrawShare,
  writeShare,
} from './links.ts';

interface Deps {
  readonly db: Db;
  readonly keyShares: KeyShares;
  readonly keySealer: KeySealer;
}
type Input = z.output<typeof GenerateKeyInput>;

/** A revoked link stays revoked: whoever revoked it may have done so because it was in the wrong hands. */
function requireKeyed(folder: FolderRow): FolderRow {
  if (folder.link_mode === 'revoked') throw new AppError('folder.revoked');
  if (folder.link_mode === 'plain') throw new AppError('folder.plain');
  return folder;
}

function keyedLinkOf(input: Input): KeyedLink {
  const link = linkOf(input, input.encrypted_key);
  if (link.mode === 'plain') throw new AppError('request.invalid', { message: 'a new link needs a key' });
  return link;
}

/** The key that a folder has, and what time it is: a transaction may have begun long before it got the folder's lock. */
async function lookAt(tx: Db, folder: FolderRow): Promise<{ old: KeyRow | null; now: Date }> {
  const [found] = await tx
    .select({ old: temp_encryption_keys, now: sql<Date>`clock_timestamp()`.mapWith(folders.created_at) })
    .from(folders)
    .leftJoin(temp_encryption_keys, eq(temp_encryption_keys.folder_id, folders.id))
    .where(eq(folders.id, folder.id));
  return found!;
}

async function replaceKey(
  tx: Db,
  keySealer: KeySealer,
  folder: FolderRow,
  deposit: Omit<Deposit, 'folder' | 'madeAt'>,
): Promise<{ key: KeyRow; old: KeyRow | null }> {
  const { old, now } = await lookAt(tx, folder);
  await tx.update(folders).set({ link_mode: deposit.link.mode }).where(eq(folders.id, folder.id));
  return { key: await depositKey(tx, keySealer, { ...deposit, folder, madeAt: now }), old };
}

/**
 * Gives a folder a new link of either kind, with or without a passphrase, and ends the one it had (DESIGN §5).
 * @param options.report told when the old share could not be erased; the sweeper erases it then
 * @throws folder.not_found, folder.expired, folder.forbidden, folder.revoked, folder.plain, key.lifetime
 */
export async function generateKey(
  { db, keyShares, keySealer }: Deps,
  { viewer, input, report }: { viewer: Viewer; input: Input; report: (error: unknown) => void },
): Promise<TempKeyInfo> {
  const link = keyedLinkOf(input);
  // Looked at twice: nobody but the owner makes this server write a share, and only the lock says what holds then.
  const looked = requireKeyed(await ownFolder(db, input.folder_id, viewer));
  const share = await writeShare(keyShares, looked.id, link).catch(async (error: unknown) => {
    // Who revokes or deletes meanwhile erases what is half-written, too; then that is what there is to say.
    requireKeyed(await ownFolder(db, looked.id, viewer));
    throw error;
  });
  try {
    const { key, old } = await db.transaction(async (tx) => {
      const folder = requireKeyed(await lockOwnFolder(tx, looked.id, viewer));
      return replaceKey(tx, keySealer, folder, { link, share, hours: input.expires_in_hours ?? null });
    });
    // After the commit, from which on nobody is given it: should the process end here, the sweeper finds it unclaimed.
    if (old?.share_id) await keyShares.erase({ folder_id: old.folder_id, share_id: old.share_id }).catch(report);
    return toTempKeyInfo(key);
  } catch (error) {
    await withdrawShare(keyShares, share, error);
    throw error;
  }
}
