import { and, asc, eq, isNull, lte, notExists, or, sql } from 'drizzle-orm';
import type { BlobStore } from '../platform/blobs.ts';
import { type Db, inTransaction, type Tx } from '../platform/db.ts';
import type { KeyShares } from '../platform/key-shares.ts';
import { files, folders, sessions, slugs, temp_encryption_keys, uploads } from '../platform/schema.ts';
import type { VisitorSalts } from '../platform/visitor-salts.ts';
import { dropActivity, forgetPseudonyms } from './activity-books.ts';
import { deleteInBatches } from './batches.ts';
import { freeBlobs, freeQueuedBlobs } from './blob-removals.ts';
import { dropFiles } from './files.ts';
import { type Actor, type FoundFolder, lockFolderToRemove, requireOwner } from './folders.ts';
import { forgetExpiredGrants, forgetGuests } from './grants.ts';
import { forgetOldInteractions } from './interactions.ts';
import { type KeySweepDeps, sweepKeys } from './key-sweep.ts';
import { forgetOldTries } from './passphrase.ts';
import { forgetRateCounts } from './rate-limits.ts';
import { forgetOldReports, forgetReportedKeys } from './reports.ts';
import { forgetExpiredIntents, forgetIntentsOfFolder } from './upload-intents.ts';
import { dropExpiredUploads, dropUploads } from './uploads.ts';

/** How folders and all that belongs to them go: by their owner's hand, or by the sweeper once their time is up. */

export interface RemovalDeps {
  readonly db: Db;
  readonly blobs: BlobStore;
  readonly keyShares: KeyShares;
}

export interface FolderSweepDeps extends RemovalDeps {
  readonly visitorSalts: VisitorSalts;
}

export type Report = (error: unknown) => void;

const BATCH = 100;
/** For so long a slug can't be had again, and says Expired where its folder expired (DESIGN R17). */
const SLUG_KEPT = sql`interval '30 days'`;
/** Of a slug whose folder is just gone. */
const NOTHING_KEPT = { expires_at: null, folder_id: null, storage_path: null };

/**
 * Takes a locked folder away: rows, quota and key at once; its blobs are queued. Shares are erased after the commit.
 * @returns the queued blobs
 */
export async function tombstone(tx: Tx, folder: FoundFolder): Promise<string[]> {
  const queued = [...(await dropUploads(tx, folder.id)), ...(await dropFiles(tx, folder.id))];
  await dropActivity(tx, folder.id);
  await forgetGuests(tx, folder.id);
  await forgetIntentsOfFolder(tx, folder.id);
  await forgetReportedKeys(tx, folder.slug);
  await tx.delete(temp_encryption_keys).where(eq(temp_encryption_keys.folder_id, folder.id));
  await tx
    .update(folders)
    .set({ deleted_at: sql`now()`, name: null, description: null })
    .where(eq(folders.id, folder.id));
  // An expired folder stays Expired for 30 days, a deleted one is Not Found at once (DESIGN R17).
  const { is_expired, expires_at, id: folder_id, bucket_storage_path: storage_path } = folder;
  // Of a restricted one nobody is left who may know that it was there (docs/decisions/011).
  const kept = is_expired && folder.access === 'link' ? { expires_at, folder_id, storage_path } : NOTHING_KEPT;
  const purge_at = sql`coalesce(${kept.expires_at?.toISOString() ?? null}::timestamptz, now()) + ${SLUG_KEPT}`;
  await tx
    .update(slugs)
    .set({ ...kept, purge_at })
    .where(eq(slugs.slug, folder.slug));
  return queued;
}

/** A folder that has just become a tombstone, and the blobs that this queued. */
export interface Removed {
  readonly folderId: string;
  readonly queued: readonly string[];
}

/**
 * What follows the commit of a tombstone: its own shares and blobs go, and nobody waits for what others have queued. The
 * folder is gone whatever becomes of it; the sweeper goes on where it stops.
 */
export async function finishRemoval(deps: RemovalDeps, removed: Removed, report: Report): Promise<void> {
  await deps.keyShares.eraseAll(removed.folderId).catch(report);
  await freeBlobs(deps, removed.queued, report);
}

/**
 * The owner's Delete. When this resolves, rows, quota, key share and bytes are gone.
 * @returns the folder as it was
 * @throws folder.not_found, folder.forbidden
 */
export async function removeFolder(
  deps: RemovalDeps,
  { viewer, folderId, report }: { viewer: Actor; folderId: string; report: Report },
): Promise<FoundFolder> {
  const removed = await inTransaction(deps.db, async (tx) => {
    const folder = await lockFolderToRemove(tx, folderId);
    requireOwner(folder, viewer);
    return { folder, queued: await tombstone(tx, folder) };
  });
  await finishRemoval(deps, { folderId: removed.folder.id, queued: removed.queued }, report);
  return removed.folder;
}

/**
 * Takes all folders of a person away, with their blobs: part of the end of their account.
 * @param report told of blobs that could not be removed now
 * @throws when a share cannot be erased: nothing would remember it once the account is gone
 */
export async function removeFoldersOf(deps: RemovalDeps, profileId: string, report: Report): Promise<void> {
  const { db, keyShares } = deps;
  const owned = await db.select({ id: folders.id }).from(folders).where(eq(folders.owner_profile_id, profileId));
  for (const { id } of owned) {
    const queued = await inTransaction(db, async (tx) => {
      const [folder] = await tx.select().from(folders).where(eq(folders.id, id)).for('update');
      return folder?.deleted_at === null ? tombstone(tx, { ...folder, is_expired: false }) : [];
    });
    await keyShares.eraseAll(id);
    await freeBlobs(deps, queued, report);
  }
}

/** Sweeps one expired folder. Null when another node has it or has swept it, else the blobs that this queued. */
async function sweepFolder({ db }: RemovalDeps, folderId: string): Promise<string[] | null> {
  return inTransaction(db, async (tx) => {
    const [folder] = await tx
      .select()
      .from(folders)
      .where(and(eq(folders.id, folderId), isNull(folders.deleted_at), lte(folders.expires_at, sql`now()`)))
      .for('update', { skipLocked: true });
    return folder ? tombstone(tx, { ...folder, is_expired: true }) : null;
  });
}

/**
 * Erases the shares of swept folders until one can't be: the rest is the sweep of keys' to erase, and nobody waits for a
 * key service that is down, once for each folder.
 */
function createShareEraser({ keyShares }: RemovalDeps, report: Report): (folderId: string) => Promise<void> {
  let isDown = false;
  return async (folderId) => {
    if (isDown) return;
    await keyShares.eraseAll(folderId).catch((error) => {
      isDown = true;
      report(error);
    });
  };
}

/** Folder by folder, each with its blobs: space is free long before the last of many folders is swept. */
async function sweepExpiredFolders(deps: RemovalDeps, report: Report, signal?: AbortSignal): Promise<void> {
  const eraseShares = createShareEraser(deps, report);
  while (!signal?.aborted) {
    const expired = await deps.db
      .select({ id: folders.id })
      .from(folders)
      .where(and(isNull(folders.deleted_at), lte(folders.expires_at, sql`now()`)))
      .orderBy(asc(folders.expires_at))
      .limit(BATCH);
    let swept = 0;
    for (const { id } of expired) {
      if (signal?.aborted) return;
      try {
        const queued = await sweepFolder(deps, id);
        if (queued === null) continue;
        swept += 1;
        await eraseShares(id);
        await freeBlobs(deps, queued, report, signal);
      } catch (error) {
        report(error);
      }
    }
    // No progress: the rest is locked by another node, or fails until somebody mends it.
    if (expired.length < BATCH || swept === 0) return;
  }
}

/** Tombstones that have outlived every request that was under way when they were made. */
async function forgetTombstones(db: Db, signal?: AbortSignal): Promise<void> {
  const isDone = and(
    lte(folders.deleted_at, sql`now() - interval '1 hour'`),
    // Whose a restricted folder was, who alone hears that it was taken down.
    or(
      lte(folders.deleted_at, sql`now() - interval '30 days'`),
      notExists(
        db
          .select()
          .from(slugs)
          .where(and(eq(slugs.folder_id, folders.id), eq(slugs.restricted, true))),
      ),
    ),
    notExists(db.select().from(files).where(eq(files.folder_id, folders.id))),
    notExists(db.select().from(uploads).where(eq(uploads.folder_id, folders.id))),
  );
  await deleteInBatches(db, folders, isDone!, signal);
}

async function forgetOldSlugs(db: Db, signal?: AbortSignal): Promise<void> {
  const isFolderGone = notExists(db.select().from(folders).where(eq(folders.slug, slugs.slug)));
  await deleteInBatches(db, slugs, and(lte(slugs.purge_at, sql`now()`), isFolderGone)!, signal);
}

/**
 * Frees what has expired: folders, uploads, blobs, sessions, slugs. Several nodes may do so at once. Keys and shares that
 * are left are swept where the shares are (sweepKeys).
 * @param report told of whatever failed; the rest is swept all the same, and the next sweep tries again
 * @param signal ends the sweep between two of its small steps; the next sweep goes on
 */
export async function sweepFolders(deps: FolderSweepDeps, report: Report, signal?: AbortSignal): Promise<void> {
  const { db } = deps;
  const steps = [
    () => sweepExpiredFolders(deps, report, signal),
    () => dropExpiredUploads(db, signal),
    () => freeQueuedBlobs(deps, report, signal),
    () => deleteInBatches(db, sessions, lte(sessions.expires_at, sql`now()`), signal),
    () => forgetOldTries(db, signal),
    () => forgetRateCounts(db, signal),
    () => forgetOldInteractions(db, signal),
    () => forgetTombstones(db, signal),
    () => forgetOldSlugs(db, signal),
    () => forgetOldReports(db, signal),
    () => forgetExpiredGrants(db, signal),
    () => forgetExpiredIntents(db, signal),
    // The rows before the salt: what is left of a day that is over must not be told apart from today's.
    () => forgetPseudonyms(db, signal),
    () => deps.visitorSalts.forgetPast(),
  ];
  for (const step of steps) {
    if (signal?.aborted) return;
    await step().catch(report);
  }
}

/** Frees whatever has expired, on a server that keeps its keys itself: keys first, while tombstones say whose they were. */
export async function sweep(deps: FolderSweepDeps & KeySweepDeps, report: Report, signal?: AbortSignal): Promise<void> {
  await sweepKeys(deps, report, signal);
  await sweepFolders(deps, report, signal);
}
