import type { TakedownInput } from '@satchel/contract/abuse';
import { AppError } from '@satchel/contract/errors';
import { isSlug } from '@satchel/contract/naming';
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { z } from 'zod';
import { inTransaction, type Tx } from '../platform/db.ts';
import { blob_removals, denied_blobs, type files, folders, profiles, slugs } from '../platform/schema.ts';
import { freeBlobs } from './blob-removals.ts';
import { hashBlob } from './denied-blobs.ts';
import { blobsOfFolder } from './files.ts';
import { type FoundFolder, lockFolderToRemove } from './folders.ts';
import { type Operator, recordAct } from './operator-acts.ts';
import { finishRemoval, type RemovalDeps, type Removed, type Report, tombstone } from './removal.ts';
import { closeReportsOf } from './reports.ts';

/** The end of a folder by an operator's hand: as by its owner's, and the slug says why from then on. */

type Takedown = z.output<typeof TakedownInput>;
type StoredBlob = Pick<typeof files.$inferSelect, 'blob_key' | 'size_bytes'>;

/** Longer than the hashing of a folder takes. After a crash in its midst the rest is removed unhashed. */
const HOLD = sql`interval '1 hour'`;

/**
 * The folder of a slug, locked.
 * @throws folder.not_found, folder.taken_down
 */
async function lockFolderOfSlug(tx: Tx, slug: string): Promise<FoundFolder> {
  if (!isSlug(slug)) throw new AppError('folder.not_found');
  const [folder] = await tx.select({ id: folders.id }).from(folders).where(eq(folders.slug, slug));
  try {
    if (!folder) throw new AppError('folder.not_found');
    return await lockFolderToRemove(tx, folder.id);
  } catch (error) {
    // Another operator was quicker.
    const [gone] = await tx.select().from(slugs).where(eq(slugs.slug, slug));
    const reason = gone?.taken_down_reason ?? null;
    throw reason === null ? error : new AppError('folder.taken_down', { reason }, { cause: error });
  }
}

/** Keeps queued blobs from being removed until they are hashed. */
async function hold(tx: Tx, blobs: readonly StoredBlob[]): Promise<void> {
  const keys = blobs.map(({ blob_key }) => blob_key).join(',');
  await tx.execute(sql`
    update blob_removals set held_until = clock_timestamp() + ${HOLD}
    where blob_key = any(string_to_array(${keys}::text, ',')::uuid[])`);
}

/** Everything of a takedown that has to be one with its act. */
async function takeAway(
  tx: Tx,
  operator: Operator,
  { folder_slug: slug, reason, deny_files }: Takedown,
): Promise<Removed & { held: StoredBlob[] }> {
  const folder = await lockFolderOfSlug(tx, slug);
  const held = deny_files ? await blobsOfFolder(tx, folder.id) : [];
  const queued = new Set(await tombstone(tx, folder));
  for (const { blob_key } of held) queued.delete(blob_key);
  if (held.length > 0) await hold(tx, held);
  const kept = { expires_at: null, folder_id: folder.id, storage_path: folder.bucket_storage_path };
  await tx
    .update(slugs)
    // Its slug stays, and with it the reason.
    .set({ ...kept, purge_at: null, taken_down_reason: reason, restricted: folder.access === 'restricted' })
    .where(eq(slugs.slug, slug));
  await closeReportsOf(tx, slug);
  await recordAct(tx, operator, { act: 'take_down', target: slug, detail: reason });
  return { folderId: folder.id, queued: [...queued], held };
}

/** Hashes a blob that is held, and denies it. */
async function denyHeld(
  { db, blobs }: RemovalDeps,
  operator: Operator,
  { blob_key, size_bytes }: StoredBlob,
  reason: string,
): Promise<void> {
  const sha256 = await hashBlob(blobs, blob_key, size_bytes);
  await inTransaction(db, async (tx) => {
    const [denied] = await tx
      .insert(denied_blobs)
      .values({ sha256, size_bytes, reason })
      .onConflictDoNothing()
      .returning();
    if (denied) await recordAct(tx, operator, { act: 'deny', target: sha256, detail: reason });
  });
}

/** Lets a blob go: removed now, or else by the sweeper. */
async function letGo(deps: RemovalDeps, { blob_key }: StoredBlob, report: Report): Promise<void> {
  const row = eq(blob_removals.blob_key, blob_key);
  await Promise.resolve(deps.db.update(blob_removals).set({ held_until: null }).where(row)).catch(report);
  await freeBlobs(deps, [blob_key], report);
}

/**
 * Takes a folder down: nobody reads it from the commit on; when this resolves, rows, keys and bytes are gone. With
 * `deny_files` the stored bytes of its files are hashed before they go, one file at a time, and nobody may store them again.
 * @param report told of what could not be hashed or removed now; the sweeper goes on with the removal
 * @throws folder.not_found, folder.taken_down when it is already
 */
export async function takeDown(
  deps: RemovalDeps,
  operator: Operator,
  takedown: Takedown,
  report: Report,
): Promise<void> {
  const { held, ...removed } = await inTransaction(deps.db, (tx) => takeAway(tx, operator, takedown));
  // All but what is held: nothing else waits for the hashing.
  await finishRemoval(deps, removed, report);
  for (const blob of held) {
    await denyHeld(deps, operator, blob, takedown.reason).catch(report);
    await letGo(deps, blob, report);
  }
}

/** Takes down all folders of a banned person. From the ban on they make no new ones. */
export async function takeDownFoldersOf(
  deps: RemovalDeps,
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
      // One that its owner deleted, or another operator took down, meanwhile is gone as well.
      if (!(error instanceof AppError)) throw error;
    }
  }
}
