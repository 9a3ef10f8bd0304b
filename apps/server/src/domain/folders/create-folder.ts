import { randomUUID } from 'node:crypto';
import type { CreateFolderInput, CreateFolderOutput } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { BUCKET, type Caps, HOUR_MS } from '@satchel/contract/limits';
import { newSlug } from '@satchel/contract/naming';
import { limitsOf, type Tiers } from '@satchel/contract/tiers';
import type { z } from 'zod';
import { type Db, databaseTime, inTransaction, type Queryable, type Tx } from '../../platform/database/db.ts';
import type { KeySealer } from '../../platform/keys/key-sealer.ts';
import type { KeyShares } from '../../platform/keys/key-shares.ts';
import { folders, slugs } from '../../platform/schema/folders.ts';
import { type Actor, countFoldersOf, toFolder, type Viewer } from '../access/find-folder.ts';
import { holdProfile, profileById } from '../accounts/profiles.ts';
import { bindIntent } from '../discord/upload-intents.ts';
import { deleteUnclaimedShare, depositKey, type Link, linkOf, prepareLink, toTempKeyInfo } from '../links/links.ts';

type Input = z.output<typeof CreateFolderInput>;
interface Deps {
  readonly db: Db;
  readonly keyShares: KeyShares;
  readonly keySealer: KeySealer;
  readonly tiers: Tiers;
  readonly caps: Caps;
}

function check(input: Input, viewer: Viewer, lifetimeHours: number): void {
  if (input.owner_id && input.owner_id !== viewer.profile_id) throw new AppError('folder.foreign_owner');
  if (input.bucket_name && input.bucket_name !== BUCKET) throw new AppError('storage.bucket_not_found');
  if ((input.expires_in_hours ?? 0) > lifetimeHours) throw new AppError('folder.lifetime', { hours: lifetimeHours });
}

/** @throws folder.too_many */
export async function requireRoomForFolder(db: Queryable, owner: Actor, { open_folders: max }: Caps): Promise<void> {
  if ((await countFoldersOf(db, owner)) >= max) throw new AppError('folder.too_many', { max });
}

interface NewFolder {
  readonly id: string;
  readonly slug: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly link_mode: Link['mode'];
}

function newFolder(
  input: Input,
  { created_at, link_mode, lifetimeHours }: Pick<NewFolder, 'created_at' | 'link_mode'> & { lifetimeHours: number },
): NewFolder {
  const lifetimeMs = (input.expires_in_hours ?? lifetimeHours) * HOUR_MS;
  return {
    id: randomUUID(),
    slug: input.folder_slug ?? newSlug(),
    created_at,
    expires_at: new Date(created_at.getTime() + lifetimeMs),
    link_mode,
  };
}

async function insertFolder(tx: Tx, viewer: Viewer, input: Input, made: NewFolder) {
  const [taken] = await tx.insert(slugs).values({ slug: made.slug }).onConflictDoNothing().returning();
  if (!taken) throw new AppError('folder.slug_taken');
  const [folder] = await tx
    .insert(folders)
    .values({
      ...made,
      name: input.folder_name || null,
      description: input.folder_description || null,
      bucket: BUCKET,
      // Not the slug: the address of an object must not give the link away.
      bucket_storage_path: randomUUID(),
      owner_profile_id: viewer.profile_id,
      hide_names: input.hide_names,
    })
    .returning();
  return folder!;
}

/**
 * Creates a plain folder, or one with a private or a Discord link (docs/container.md §3).
 * @throws auth.required, folder.foreign_owner, storage.bucket_not_found, folder.lifetime, folder.slug_taken,
 * folder.too_many, request.unavailable
 */
export async function createFolder(
  { db, keyShares, keySealer, tiers, caps }: Deps,
  viewer: Viewer,
  input: Input,
): Promise<CreateFolderOutput> {
  const { subscription_tier } = await profileById(db, viewer.profile_id);
  const lifetimeHours = limitsOf(tiers, subscription_tier).folder_lifetime_hours;
  check(input, viewer, lifetimeHours);
  const link = linkOf(input, input.encryption_key);
  const created_at = await databaseTime(db);
  const made = newFolder(input, { created_at, link_mode: link.mode, lifetimeHours });
  const prepared =
    link.mode === 'plain'
      ? null
      : await prepareLink({ keyShares, keySealer }, made, { link, madeAt: created_at, hours: null });
  try {
    return await inTransaction(db, async (tx) => {
      await holdProfile(tx, viewer.profile_id);
      await requireRoomForFolder(tx, viewer, caps);
      const folder = await insertFolder(tx, viewer, input, made);
      const key = prepared && (await depositKey(tx, folder, prepared));
      if (input.intent_id) await bindIntent(tx, input.intent_id, folder);
      return { folder: toFolder(folder), temp_key_info: key && toTempKeyInfo(key) };
    });
  } catch (error) {
    await deleteUnclaimedShare(keyShares, prepared?.share ?? null, error);
    throw error;
  }
}
