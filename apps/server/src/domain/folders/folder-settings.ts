import type { UpdateFolderInput } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { limitsOf, type Tiers } from '@satchel/contract/tiers';
import { eq } from 'drizzle-orm';
import { type Db, inTransaction, type Queryable } from '../platform/db.ts';
import type { KeySealer } from '../platform/key-sealer.ts';
import { folders } from '../platform/schema.ts';
import { type Actor, type FolderRow, lockOwnFolder, ownFolder, toFolder } from './folders.ts';
import { forgetGuests } from './grants.ts';
import { alignKey, type ResealedKey, resealKey } from './links.ts';
import { profileById } from './profiles.ts';

const HOUR_MS = 3_600_000;

/**
 * The latest end that a folder may have. One that was made under a longer life, by the settings or its owner's tier of
 * then, keeps its time, and may give some of it up.
 */
export const latestEndOf = (folder: Pick<FolderRow, 'created_at' | 'expires_at'>, lifetimeHours: number): Date =>
  new Date(Math.max(folder.expires_at.getTime(), folder.created_at.getTime() + lifetimeHours * HOUR_MS));

function newExpiryOf(input: UpdateFolderInput, folder: FolderRow, lifetimeHours: number): Date {
  if (input.new_expires_at === undefined) return folder.expires_at;
  const bornMs = folder.created_at.getTime();
  // Nothing ends before it began, and PostgreSQL does not know every year that ISO 8601 does.
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
    // Of an encrypted folder a chat is never told anything, whatever is asked for.
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
 * One try at a change.
 * @returns null, having changed nothing, when the folder's end or its link was changed meanwhile
 */
async function change(deps: Deps, viewer: Actor, input: UpdateFolderInput): Promise<Folder | null> {
  const { db, keySealer } = deps;
  let resealed: ResealedKey | null = null;
  if (input.new_expires_at !== undefined) {
    const looked = await ownFolder(db, input.folder_id, viewer);
    resealed = await resealKey(db, keySealer, { ...looked, ...(await changesFor(db, deps, looked, input)) });
  }
  return inTransaction(db, async (tx) => {
    const folder = await lockOwnFolder(tx, input.folder_id, viewer);
    const changes = await changesFor(tx, deps, folder, input);
    if (!(await alignKey(tx, { ...folder, ...changes }, resealed))) return null;
    // To restrict a folder shuts out everybody but those who are let in from now on.
    if (changes.access === 'restricted' && folder.access !== 'restricted') await forgetGuests(tx, folder.id);
    const [changed] = await tx.update(folders).set(changes).where(eq(folders.id, folder.id)).returning();
    return toFolder(changed!);
  });
}

/** How often somebody may be overtaken by other changes before they are told to try again. */
const TRIES = 5;

/**
 * Changes what a folder's owner may change; an absent field stays (DESIGN §5).
 * @throws folder.not_found, folder.expired, folder.forbidden, folder.lifetime, request.unavailable
 */
export async function updateFolderSettings(deps: Deps, viewer: Actor, input: UpdateFolderInput): Promise<Folder> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const changed = await change(deps, viewer, input);
    if (changed) return changed;
  }
  throw new AppError('request.unavailable');
}
