import type { GenerateKeyInput } from '@satchel/contract/api';
import type { TempKeyInfo } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { eq } from 'drizzle-orm';
import type { z } from 'zod';
import { noteChange } from '../../platform/database/change-notes.ts';
import { type Db, databaseTime, inTransaction, type Tx } from '../../platform/database/db.ts';
import type { KeySealer } from '../../platform/keys/key-sealer.ts';
import type { KeyShareId, KeyShares } from '../../platform/keys/key-shares.ts';
import { folders } from '../../platform/schema/folders.ts';
import { temp_encryption_keys } from '../../platform/schema/links.ts';
import { type FolderRow, lockOwnFolder, ownFolder, type Viewer } from '../access/find-folder.ts';
import {
  deleteUnclaimedShare,
  depositKey,
  type KeyedLink,
  type KeyRow,
  linkOf,
  prepareLink,
  toTempKeyInfo,
} from './links.ts';
import { applyLabels } from './staged-labels.ts';

interface Deps {
  readonly db: Db;
  readonly keyShares: KeyShares;
  readonly keySealer: KeySealer;
}
type Input = z.output<typeof GenerateKeyInput>;

/** A revoked link stays revoked: its owner may have revoked it because the wrong people had it. */
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
  /** The key share that nothing needs any more. */
  readonly ended: KeyShareId | null;
}

/** Whether the link is the folder's already: its page asks again when the answer was lost. */
const isMade = (link: KeyedLink, old: KeyRow): boolean =>
  link.mode === 'private' && old.encrypted_key === link.sealedKey;

/**
 * Tries once to give a folder its new link.
 * @returns null, having changed nothing, when the folder's end was changed during the try
 */
async function replaceKey(deps: Deps, viewer: Viewer, input: Input): Promise<Replacement | null> {
  const { db, keyShares } = deps;
  const link = keyedLinkOf(input);
  // Checked twice: before the key share is written, so that only the owner causes a write, and under the lock, which
  // decides.
  const checked = requireKeyed(await ownFolder(db, input.folder_id, viewer));
  const start = { link, madeAt: await databaseTime(db), hours: input.expires_in_hours ?? null };
  const prepared = await prepareLink(deps, checked, start).catch(async (error: unknown) => {
    // A revocation or deletion during the write deletes the half-written key share; then its error is the answer.
    requireKeyed(await ownFolder(db, checked.id, viewer));
    throw error;
  });
  try {
    return await inTransaction(db, async (tx) => {
      const folder = requireKeyed(await lockOwnFolder(tx, checked.id, viewer));
      const old = await keyOf(tx, folder);
      if (old && isMade(link, old)) return { key: old, ended: prepared.share };
      // A Discord link brings no new folder key.
      if (link.mode === 'private' || input.relabel) {
        await applyLabels(tx, folder, { relabel: input.relabel ?? null, link: old?.api_token ?? null });
      }
      const key = await depositKey(tx, folder, prepared);
      if (!key) return null;
      noteChange(tx, folder.id);
      await tx.update(folders).set({ link_mode: link.mode }).where(eq(folders.id, folder.id));
      const ended = old?.share_id ? { folder_id: folder.id, share_id: old.share_id } : null;
      return { key, ended };
    });
  } catch (error) {
    await deleteUnclaimedShare(keyShares, prepared.share, error);
    throw error;
  }
}

/** Tries before a request that changes of the folder's end keep overtaking gets request.unavailable. */
const TRIES = 5;

/**
 * Gives a folder a new link of either kind, with or without a passphrase, and ends the old one.
 * @param options.report is called when the old key share could not be deleted; the sweeper purges it later
 * @throws folder.not_found, folder.expired, folder.forbidden, folder.revoked, folder.plain, key.lifetime,
 * key.link_changed, key.labels_changed, request.unavailable
 */
export async function generateKey(
  deps: Deps,
  { viewer, input, report }: { viewer: Viewer; input: Input; report: (error: unknown) => void },
): Promise<TempKeyInfo> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const replaced = await replaceKey(deps, viewer, input);
    if (!replaced) continue;
    const { key, ended } = replaced;
    // After the commit no request returns the old key share. Should the process end here, the sweeper finds the key
    // share unclaimed.
    if (ended) await deps.keyShares.delete(ended).catch(report);
    return toTempKeyInfo(key);
  }
  throw new AppError('request.unavailable');
}
