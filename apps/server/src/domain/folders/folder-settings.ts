import type { UpdateFolderInput } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { HOUR_MS } from '@satchel/contract/limits';
import { limitsOf, type Tiers } from '@satchel/contract/tiers';
import { eq } from 'drizzle-orm';
import { noteChange } from '../../platform/database/change-notes.ts';
import { type Db, inTransaction, type Queryable } from '../../platform/database/db.ts';
import type { KeySealer } from '../../platform/keys/key-sealer.ts';
import { folders } from '../../platform/schema/folders.ts';
import { type Actor, type FolderRow, lockOwnFolder, ownFolder, toFolder } from '../access/find-folder.ts';
import { profileById } from '../accounts/profiles.ts';
import { endLink, finishEnding, type LinkDeps } from '../links/keys.ts';
import { alignKey, type ResealedKey, resealKey } from '../links/links.ts';
import { deleteGuests } from '../sharing/grants.ts';

/**
 * The latest end that a folder may have. A folder made under a longer lifetime, by earlier settings or an earlier tier
 * of its owner, keeps its end and may be shortened.
 */
export const latestEndOf = (folder: Pick<FolderRow, 'created_at' | 'expires_at'>, lifetimeHours: number): Date =>
  new Date(Math.max(folder.expires_at.getTime(), folder.created_at.getTime() + lifetimeHours * HOUR_MS));

function newExpiryOf(input: UpdateFolderInput, folder: FolderRow, lifetimeHours: number): Date {
  if (input.new_expires_at === undefined) return folder.expires_at;
  const bornMs = folder.created_at.getTime();
  // An end before the creation becomes the creation: PostgreSQL does not know every year of ISO 8601.
  const expiresAtMs = Math.max(bornMs, Date.parse(input.new_expires_at));
  if (expiresAtMs > latestEndOf(folder, lifetimeHours).getTime())
    throw new AppError('folder.lifetime', { hours: lifetimeHours });
  return new Date(expiresAtMs);
}

function changesOf(input: UpdateFolderInput, folder: FolderRow, lifetimeHours: number): Partial<FolderRow> {
  return {
    expires_at: newExpiryOf(input, folder, lifetimeHours),
    name: input.new_name === undefined ? folder.name : input.new_name || null,
    description: input.new_description === undefined ? folder.description : input.new_description || null,
    hide_names: input.new_hide_names ?? folder.hide_names,
    // The name of an encrypted folder is never shown in previews.
    show_name_in_previews:
      folder.link_mode === 'plain' && (input.new_show_name_in_previews ?? folder.show_name_in_previews),
    access: input.new_access ?? folder.access,
  };
}

interface Deps {
  readonly db: Db;
  readonly keySealer: KeySealer;
  readonly tiers: Tiers;
}

async function changesFor(db: Queryable, { tiers }: Deps, folder: FolderRow, input: UpdateFolderInput) {
  const { subscription_tier } = await profileById(db, folder.owner_profile_id);
  return changesOf(input, folder, limitsOf(tiers, subscription_tier).folder_lifetime_hours);
}

/**
 * Tries a change once.
 * @returns null, having changed nothing, when the folder's end or its link was changed during the try
 */
async function change(deps: Deps, viewer: Actor, input: UpdateFolderInput): Promise<Folder | null> {
  const { db, keySealer } = deps;
  let resealed: ResealedKey | null = null;
  if (input.new_expires_at !== undefined) {
    const checked = await ownFolder(db, input.folder_id, viewer);
    resealed = await resealKey(db, keySealer, { ...checked, ...(await changesFor(db, deps, checked, input)) });
  }
  return inTransaction(db, async (tx) => {
    const folder = await lockOwnFolder(tx, input.folder_id, viewer);
    const changes = await changesFor(tx, deps, folder, input);
    if (!(await alignKey(tx, { ...folder, ...changes }, resealed))) return null;
    noteChange(tx, folder.id);
    // Restricting a folder deletes its guests; only people who are let in from now on can read it.
    if (changes.access === 'restricted' && folder.access !== 'restricted') await deleteGuests(tx, folder.id);
    const [changed] = await tx.update(folders).set(changes).where(eq(folders.id, folder.id)).returning();
    return toFolder(changed!);
  });
}

/** Tries before a request that other changes keep overtaking gets request.unavailable. */
const TRIES = 5;

/**
 * Changes a folder's settings; an absent field stays.
 * @throws folder.not_found, folder.expired, folder.forbidden, folder.lifetime, request.unavailable
 */
export async function updateFolderSettings(deps: Deps, viewer: Actor, input: UpdateFolderInput): Promise<Folder> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const changed = await change(deps, viewer, input);
    if (changed) return changed;
  }
  throw new AppError('request.unavailable');
}

/**
 * Revoke in Discord: deletes everything that lets others than the owner into a folder, that is invitations, guests and
 * grants. An encrypted folder's link ends for good; a plain folder has no key that could end, and is restricted
 * instead. A second call does nothing.
 * @param options.report is called when the key share could not be deleted; the sweeper purges it later
 * @throws folder.not_found, folder.expired, folder.forbidden
 */
export async function closeFolder(
  deps: LinkDeps,
  { viewer, folderId, report }: { viewer: Actor; folderId: string; report: (error: unknown) => void },
): Promise<FolderRow> {
  const { folder, queued } = await inTransaction(deps.db, async (tx) => {
    const folder = await lockOwnFolder(tx, folderId, viewer);
    await deleteGuests(tx, folder.id);
    noteChange(tx, folder.id);
    if (folder.link_mode !== 'plain') return { folder, queued: await endLink(tx, folder) };
    await tx.update(folders).set({ access: 'restricted' }).where(eq(folders.id, folder.id));
    return { folder, queued: null };
  });
  if (queued) await finishEnding(deps, { folder, queued, report });
  return folder;
}
