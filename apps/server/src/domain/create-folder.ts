import { randomUUID } from 'node:crypto';
import type { CreateFolderInput, CreateFolderOutput } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { BUCKET } from '@satchel/contract/limits';
import { newSlug } from '@satchel/contract/naming';
import { sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { Db } from '../platform/db.ts';
import type { KeyShares } from '../platform/key-shares.ts';
import { folders, slugs } from '../platform/schema.ts';
import { toFolder, type Viewer } from './folders.ts';
import { depositKey, toTempKeyInfo } from './keys.ts';

type Input = z.output<typeof CreateFolderInput>;
interface Deps {
  readonly db: Db;
  readonly keyShares: KeyShares;
  readonly lifetimeHours: number;
}

function check(input: Input, viewer: Viewer, lifetimeHours: number): void {
  if (input.owner_id && input.owner_id !== viewer.profile_id) throw new AppError('folder.foreign_owner');
  if (input.bucket_name && input.bucket_name !== BUCKET) throw new AppError('storage.bucket_not_found');
  if ((input.expires_in_hours ?? 0) > lifetimeHours) throw new AppError('folder.lifetime', { hours: lifetimeHours });
}

async function insertFolder(tx: Db, viewer: Viewer, input: Input, folderId: string, hours: number) {
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
      link_mode: input.sealed_key ? 'private' : 'plain',
      hide_names: input.hide_names,
    })
    .returning();
  return folder!;
}

/**
 * Makes a plain folder, or one with a private link (DESIGN R1, CONTAINER §3).
 * @throws folder.foreign_owner, storage.bucket_not_found, folder.lifetime, folder.slug_taken
 */
export async function createFolder(
  { db, keyShares, lifetimeHours }: Deps,
  viewer: Viewer,
  input: Input,
): Promise<CreateFolderOutput> {
  check(input, viewer, lifetimeHours);
  const folderId = randomUUID();
  // The share first: a folder that exists without its share could never be opened.
  if (input.key_share) await keyShares.write(folderId, input.key_share);
  try {
    return await db.transaction(async (tx) => {
      const folder = await insertFolder(tx, viewer, input, folderId, input.expires_in_hours ?? lifetimeHours);
      const key = input.sealed_key ? await depositKey(tx, folder, input.sealed_key) : null;
      return { folder: toFolder(folder), temp_key_info: key && toTempKeyInfo(key) };
    });
  } catch (error) {
    if (input.key_share) await keyShares.erase(folderId);
    throw error;
  }
}
