import type { TakedownInput } from '@satchel/contract/abuse';
import { AppError } from '@satchel/contract/errors';
import { isSlug } from '@satchel/contract/naming';
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { z } from 'zod';
import { inTransaction, type Tx } from '../../platform/database/db.ts';
import { profiles } from '../../platform/schema/accounts.ts';
import { blob_removals, type files } from '../../platform/schema/files.ts';
import { folders, slugs } from '../../platform/schema/folders.ts';
import { denied_blobs } from '../../platform/schema/moderation.ts';
import { type FoundFolder, lockFolderToDelete } from '../access/find-folder.ts';
import { blobOf } from '../files/blob-parts.ts';
import { purgeBlobs } from '../files/blob-purge.ts';
import { hashBlob } from '../files/denied-blobs.ts';
import { blobsOfFolder } from '../files/files.ts';
import {
  type DeletedFolder,
  type DeletionDeps,
  deleteFolderRows,
  finishDeletion,
  type Report,
} from '../removal/delete-folder.ts';
import { type Operator, recordAct } from './audit-log.ts';
import { closeReportsOf } from './reports.ts';

/** Takes folders down: an operator deletes a folder as its owner would, and the slug keeps the reason. */

type Takedown = z.output<typeof TakedownInput>;
type StoredBlob = Pick<typeof files.$inferSelect, 'blob_key' | 'size_bytes'>;

/** Longer than the hashing of a folder takes. After a crash during the hashing, the rest is purged unhashed. */
const HOLD = sql`interval '1 hour'`;

/**
 * Finds the folder of a slug and locks it.
 * @throws folder.not_found, folder.taken_down
 */
async function lockFolderOfSlug(tx: Tx, slug: string): Promise<FoundFolder> {
  if (!isSlug(slug)) throw new AppError('folder.not_found');
  const [folder] = await tx.select({ id: folders.id }).from(folders).where(eq(folders.slug, slug));
  try {
    if (!folder) throw new AppError('folder.not_found');
    return await lockFolderToDelete(tx, folder.id);
  } catch (error) {
    // Another operator may have taken it down first.
    const [gone] = await tx.select().from(slugs).where(eq(slugs.slug, slug));
    const reason = gone?.taken_down_reason ?? null;
    throw reason === null ? error : new AppError('folder.taken_down', { reason }, { cause: error });
  }
}

/** Holds queued blobs: the sweeper does not purge them until they are hashed. */
async function holdBlobs(tx: Tx, blobs: readonly StoredBlob[]): Promise<void> {
  const keys = blobs.map(({ blob_key }) => blob_key).join(',');
  await tx.execute(sql`
    update blob_removals set held_until = clock_timestamp() + ${HOLD}
    where blob_key = any(string_to_array(${keys}::text, ',')::uuid[])`);
}

/** The part of a takedown that commits together with its entry of the audit log. */
async function takeDownRows(
  tx: Tx,
  operator: Operator,
  { folder_slug: slug, reason, deny_files }: Takedown,
): Promise<DeletedFolder & { held: StoredBlob[] }> {
  const folder = await lockFolderOfSlug(tx, slug);
  const held = deny_files ? await blobsOfFolder(tx, folder.id) : [];
  const queued = new Set(await deleteFolderRows(tx, folder));
  for (const { blob_key } of held) queued.delete(blob_key);
  if (held.length > 0) await holdBlobs(tx, held);
  const kept = { expires_at: null, folder_id: folder.id, storage_path: folder.bucket_storage_path };
  await tx
    .update(slugs)
    // The slug stays, with the reason.
    .set({ ...kept, purge_at: null, taken_down_reason: reason, restricted: folder.access === 'restricted' })
    .where(eq(slugs.slug, slug));
  await closeReportsOf(tx, slug);
  await recordAct(tx, operator, { act: 'take_down', target: slug, detail: reason });
  return { folderId: folder.id, queued: [...queued], held };
}

/** Hashes a held blob and denies its bytes. */
async function denyHeld(
  { db, blobs }: DeletionDeps,
  operator: Operator,
  { blob_key, size_bytes }: StoredBlob,
  reason: string,
): Promise<void> {
  const sha256 = await hashBlob(blobs, await blobOf(db, blob_key), size_bytes);
  await inTransaction(db, async (tx) => {
    const [denied] = await tx
      .insert(denied_blobs)
      .values({ sha256, size_bytes, reason })
      .onConflictDoNothing()
      .returning();
    if (denied) await recordAct(tx, operator, { act: 'deny', target: sha256, detail: reason });
  });
}

/** Purges a held blob now, or leaves it to the sweeper. */
async function purgeHeld(deps: DeletionDeps, { blob_key }: StoredBlob, report: Report): Promise<void> {
  const row = eq(blob_removals.blob_key, blob_key);
  await Promise.resolve(deps.db.update(blob_removals).set({ held_until: null }).where(row)).catch(report);
  await purgeBlobs(deps, [blob_key], report);
}

/**
 * Takes a folder down: the commit ends every read; when this resolves, rows, keys and bytes are deleted. With
 * `deny_files`, the stored bytes of its files are hashed before they are deleted, one file at a time, and uploads of
 * the same bytes are refused.
 * @param report is called with each failed hash or deletion; the sweeper purges the blob later
 * @throws folder.not_found; folder.taken_down when it has been taken down already
 */
export async function takeDown(
  deps: DeletionDeps,
  operator: Operator,
  takedown: Takedown,
  report: Report,
): Promise<void> {
  const { held, ...deleted } = await inTransaction(deps.db, (tx) => takeDownRows(tx, operator, takedown));
  // All blobs that are not held: they do not wait for the hashing.
  await finishDeletion(deps, deleted, report);
  for (const blob of held) {
    await denyHeld(deps, operator, blob, takedown.reason).catch(report);
    await purgeHeld(deps, blob, report);
  }
}

/** Takes down all folders of a banned person. A banned person creates no new ones. */
export async function takeDownFoldersOf(
  deps: DeletionDeps,
  operator: Operator,
  { discord_id, reason }: { discord_id: string; reason: string },
  report: Report,
): Promise<void> {
  const owned = await deps.db
    .select({ slug: folders.slug })
    .from(folders)
    .innerJoin(profiles, eq(profiles.id, folders.owner_profile_id))
    .where(and(eq(profiles.discord_id, discord_id), isNull(folders.deleted_at)));
  for (const { slug } of owned) {
    try {
      await takeDown(deps, operator, { folder_slug: slug, reason, deny_files: false }, report);
    } catch (error) {
      // A folder that its owner deleted or another operator took down since is done as well.
      if (!(error instanceof AppError)) throw error;
    }
  }
}
