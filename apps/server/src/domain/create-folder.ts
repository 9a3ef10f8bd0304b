import { randomUUID } from 'node:crypto';
import type { CreateFolderInput, CreateFolderOutput } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { BUCKET } from '@satchel/contract/limits';
import { newSlug } from '@satchel/contract/naming';
import { limitsOf, type Tiers } from '@satchel/contract/tiers';
import { sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { Db } from '../platform/db.ts';
import type { KeySealer } from '../platform/key-sealer.ts';
import type { KeyShares } from '../platform/key-shares.ts';
import { folders, slugs } from '../platform/schema.ts';
import { toFolder, type Viewer } from './folders.ts';
import { depositKey, type Link, linkOf, toTempKeyInfo, withdrawShare, writeShare } from './links.ts';
import { holdProfile, profileById } from './profiles.ts';

type Input = z.output<typeof CreateFolderInput>;
interface Deps {
  readonly db: Db;
  readonly keyShares: KeyShares;
  readonly keySealer: KeySealer;
  readonly tiers: Tiers;
}

function check(input: Input, viewer: Viewer, lifetimeHours: number): void {
  if (input.owner_id && input.owner_id !== viewer.profile_id) throw new AppError('folder.foreign_owner');
  if (input.bucket_name && input.bucket_name !== BUCKET) throw new AppError('storage.bucket_not_found');
  if ((input.expires_in_hours ?? 0) > lifetimeHours) throw new AppError('folder.lifetime', { hours: lifetimeHours });
}

interface NewFolder {
  readonly folderId: string;
  readonly mode: Link['mode'];
  readonly lifetimeHours: number;
}

async function insertFolder(tx: Db, viewer: Viewer, input: Input, { folderId, mode, lifetimeHours }: NewFolder) {
  const hours = input.expires_in_hours ?? lifetimeHours;
  const slug = input.folder_slug ?? newSlug();
  const [taken] = await tx.insert(slugs).values({ slug }).onConflictDoNothing().returning();
  if (!taken) throw new AppError('folder.slug_taken');
  const [folder] = await tx
    .insert(folders)
    .values({
      id: folderId,
      slug,
      name: input.folder_name || null,
      description: input.folder_description || null,
      expires_at: sql`now() + make_interval(secs => ${hours * 3600}::double precision)`,
      bucket: BUCKET,
      // Not the slug: who sees an object's address must not learn the link from it.
      bucket_storage_path: randomUUID(),
      owner_profile_id: viewer.profile_id,
      link_mode: mode,
      hide_names: input.hide_names,
    })
    .returning();
  return folder!;
}

/**
 * Makes a plain folder, or one with a private or a Discord link (DESIGN R1, CONTAINER §3).
 * @throws auth.required, folder.foreign_owner, storage.bucket_not_found, folder.lifetime, folder.slug_taken
 */
export async function createFolder(
  { db, keyShares, keySealer, tiers }: Deps,
  viewer: Viewer,
  input: Input,
): Promise<CreateFolderOutput> {
  const { subscription_tier } = await profileById(db, viewer.profile_id);
  const lifetimeHours = limitsOf(tiers, subscription_tier).folder_lifetime_hours;
  check(input, viewer, lifetimeHours);
  const folderId = randomUUID();
  const link = linkOf(input, input.encryption_key);
  const share = await writeShare(keyShares, folderId, link);
  try {
    return await db.transaction(async (tx) => {
      await holdProfile(tx, viewer.profile_id);
      const folder = await insertFolder(tx, viewer, input, { folderId, mode: link.mode, lifetimeHours });
      if (link.mode === 'plain') return { folder: toFolder(folder), temp_key_info: null };
      const deposit = { folder, link, share, madeAt: folder.created_at, hours: null };
      return {
        folder: toFolder(folder),
        temp_key_info: toTempKeyInfo(await depositKey(tx, keySealer, deposit)),
      };
    });
  } catch (error) {
    await withdrawShare(keyShares, share, error);
    throw error;
  }
}
