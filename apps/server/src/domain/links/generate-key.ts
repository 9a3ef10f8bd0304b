import type { GenerateKeyInput } from '@satchel/contract/api';
import type { TempKeyInfo } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { eq } from 'drizzle-orm';
import type { z } from 'zod';
import { type Db, inTransaction, type Tx } from '../platform/db.ts';
import type { KeySealer } from '../platform/key-sealer.ts';
import type { KeyShares } from '../platform/key-shares.ts';
import { folders, temp_encryption_keys } from '../platform/schema.ts';
import { type FolderRow, lockOwnFolder, ownFolder, type Viewer } from './folders.ts';
import {
  clockOf,
  depositKey,
  type KeyedLink,
  type KeyRow,
  linkOf,
  prepareLink,
  toTempKeyInfo,
  withdrawShare,
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

async function keyOf(tx: Tx, folder: FolderRow): Promise<KeyRow | null> {
  const [key] = await tx.select().from(temp_encryption_keys).where(eq(temp_encryption_keys.folder_id, folder.id));
  return key ?? null;
}

interface Replacement {
  readonly key: KeyRow;
  readonly old: KeyRow | null;
}

/**
 * One try at giving a folder its new link.
 * @returns null, having changed nothing, when the folder's end was moved meanwhile
 */
async function replaceKey(deps: Deps, viewer: Viewer, input: Input): Promise<Replacement | null> {
  const { db, keyShares } = deps;
  const link = keyedLinkOf(input);
  // Looked at twice: nobody but the owner makes the server write a share, and only the lock says what holds then.
  const looked = requireKeyed(await ownFolder(db, input.folder_id, viewer));
  const start = { link, madeAt: await clockOf(db), hours: input.expires_in_hours ?? null };
  const prepared = await prepareLink(deps, looked, start).catch(async (error: unknown) => {
    // Who revokes or deletes meanwhile erases what is half-written, too; then that is what there is to say.
    requireKeyed(await ownFolder(db, looked.id, viewer));
    throw error;
  });
  try {
    return await inTransaction(db, async (tx) => {
      const folder = requireKeyed(await lockOwnFolder(tx, looked.id, viewer));
      const old = await keyOf(tx, folder);
      const key = await depositKey(tx, folder, prepared);
      if (!key) return null;
      await tx.update(folders).set({ link_mode: link.mode }).where(eq(folders.id, folder.id));
      return { key, old };
    });
  } catch (error) {
    await withdrawShare(keyShares, prepared.share, error);
    throw error;
  }
}

/** How often somebody may be overtaken by changes of the folder's end before they are told to try again. */
const TRIES = 5;

/**
 * Gives a folder a new link of either kind, with or without a passphrase, and ends the one it had (DESIGN §5).
 * @param options.report told when the old share could not be erased; the sweeper erases it then
 * @throws folder.not_found, folder.expired, folder.forbidden, folder.revoked, folder.plain, key.lifetime,
 * request.unavailable
 */
export async function generateKey(
  deps: Deps,
  { viewer, input, report }: { viewer: Viewer; input: Input; report: (error: unknown) => void },
): Promise<TempKeyInfo> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const replaced = await replaceKey(deps, viewer, input);
    if (!replaced) continue;
    const { key, old } = replaced;
    // After the commit, from which on nobody is given it: should the process end here, the sweeper finds it unclaimed.
    if (old?.share_id) await deps.keyShares.erase({ folder_id: old.folder_id, share_id: old.share_id }).catch(report);
    return toTempKeyInfo(key);
  }
  throw new AppError('request.unavailable');
}
