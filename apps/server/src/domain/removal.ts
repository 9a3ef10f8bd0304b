import type { Tiers } from '@satchel/contract/tiers';
import { and, asc, eq, inArray, isNotNull, isNull, lte, notExists, sql } from 'drizzle-orm';
import type { BlobStore } from '../platform/blobs.ts';
import type { Db } from '../platform/db.ts';
import type { KeyShares } from '../platform/key-shares.ts';
import { blob_removals, files, folders, sessions, slugs, temp_encryption_keys, uploads } from '../platform/schema.ts';
import type { VisitorSalts } from '../platform/visitor-salts.ts';
import { dropActivity, forgetPseudonyms } from './activity-books.ts';
import { dropFiles } from './files.ts';
import { type FoundFolder, lockFolderToRemove, requireOwner, type Viewer } from './folders.ts';
import { forgetExpiredGrants, forgetGuests } from './grants.ts';
import { forgetOldTries } from './passphrase.ts';
import { dropExpiredUploads, dropUploads } from './uploads.ts';

/** How folders and all that belongs to them go: by their owner's hand, or by the sweeper once their time is up. */

export interface RemovalDeps {
  readonly db: Db;
  readonly blobs: BlobStore;
  readonly keyShares: KeyShares;
}

export interface SweepDeps extends RemovalDeps {
  readonly visitorSalts: VisitorSalts;
  /** A share that is older than the longest life of a folder belongs to no living one, whoever's it was. */
  readonly tiers: Tiers;
}

export type Report = (error: unknown) => void;

const BATCH = 100;
/** Longer than a request takes between writing a share and committing the row that claims it. */
const ORPHAN_AGE_MS = 5 * 60_000;
const HOUR_MS = 60 * 60_000;
/** Of a slug whose folder is just gone: it can't be had again, and that is all. */
const NOTHING_KEPT = { expires_at: null, folder_id: null, storage_path: null };

/** Takes a locked folder away: rows, quota and key at once; its blobs are queued. Shares are erased after the commit. */
async function tombstone(tx: Db, folder: FoundFolder): Promise<void> {
  await dropUploads(tx, folder.id);
  await dropFiles(tx, folder.id);
  await dropActivity(tx, folder.id);
  await forgetGuests(tx, folder.id);
  await tx.delete(temp_encryption_keys).where(eq(temp_encryption_keys.folder_id, folder.id));
  await tx
    .update(folders)
    .set({ deleted_at: sql`now()`, name: null, description: null })
    .where(eq(folders.id, folder.id));
  // An expired folder stays Expired for 30 days, a deleted one is Not Found at once (DESIGN R17).
  const { is_expired, expires_at, id: folder_id, bucket_storage_path: storage_path } = folder;
  // Of a restricted one nobody is left who may know that it was there (docs/decisions/011).
  const kept = is_expired && folder.access === 'link' ? { expires_at, folder_id, storage_path } : NOTHING_KEPT;
  await tx.update(slugs).set(kept).where(eq(slugs.slug, folder.slug));
}

/**
 * The owner's Delete. When this resolves, rows, quota, key share and bytes are gone.
 * @throws folder.not_found, folder.forbidden
 */
export async function removeFolder(
  deps: RemovalDeps,
  { viewer, folderId, report }: { viewer: Viewer; folderId: string; report: Report },
): Promise<void> {
  const removed = await deps.db.transaction(async (tx) => {
    const folder = await lockFolderToRemove(tx, folderId);
    requireOwner(folder, viewer);
    await tombstone(tx, folder);
    return folder;
  });
  // The folder is gone whatever becomes of these two; the sweeper goes on where they stop.
  await deps.keyShares.eraseAll(removed.id).catch(report);
  await removeQueuedBlobs(deps, report).catch(report);
}

/**
 * Takes all folders of a person away: part of the end of their account. Their blobs are queued.
 * @throws when a share cannot be erased: nothing would remember it once the account is gone
 */
export async function removeFoldersOf({ db, keyShares }: RemovalDeps, profileId: string): Promise<void> {
  const owned = await db.select({ id: folders.id }).from(folders).where(eq(folders.owner_profile_id, profileId));
  for (const { id } of owned) {
    await db.transaction(async (tx) => {
      const [folder] = await tx.select().from(folders).where(eq(folders.id, id)).for('update');
      if (folder?.deleted_at === null) await tombstone(tx, { ...folder, is_expired: false });
    });
    await keyShares.eraseAll(id);
  }
}

/** Removes the blobs that wait for it. One that cannot be removed now keeps its place in the queue. */
export async function removeQueuedBlobs({ db, blobs }: RemovalDeps, report: Report): Promise<void> {
  for (;;) {
    const queued = await db
      .select({ blob_key: blob_removals.blob_key })
      .from(blob_removals)
      .orderBy(asc(blob_removals.attempts), asc(blob_removals.queued_at))
      .limit(BATCH);
    let removed = 0;
    for (const { blob_key } of queued) {
      const row = eq(blob_removals.blob_key, blob_key);
      try {
        await blobs.remove(blob_key);
        await db.delete(blob_removals).where(row);
        removed += 1;
      } catch (error) {
        report(error);
        const attempts = sql`${blob_removals.attempts} + 1`;
        await db.update(blob_removals).set({ attempts }).where(row);
      }
    }
    if (removed === 0) return;
  }
}

/** Sweeps one expired folder; false when another node has it or somebody was quicker. */
async function sweepFolder({ db, keyShares }: RemovalDeps, folderId: string): Promise<boolean> {
  const swept = await db.transaction(async (tx) => {
    const [folder] = await tx
      .select()
      .from(folders)
      .where(and(eq(folders.id, folderId), isNull(folders.deleted_at), lte(folders.expires_at, sql`now()`)))
      .for('update', { skipLocked: true });
    if (folder) await tombstone(tx, { ...folder, is_expired: true });
    return folder !== undefined;
  });
  if (swept) await keyShares.eraseAll(folderId);
  return swept;
}

async function sweepExpiredFolders(deps: RemovalDeps, report: Report): Promise<void> {
  for (;;) {
    const expired = await deps.db
      .select({ id: folders.id })
      .from(folders)
      .where(and(isNull(folders.deleted_at), lte(folders.expires_at, sql`now()`)))
      .orderBy(asc(folders.expires_at))
      .limit(BATCH);
    let swept = 0;
    for (const { id } of expired) {
      try {
        if (await sweepFolder(deps, id)) swept += 1;
      } catch (error) {
        report(error);
      }
    }
    // No progress: the rest is locked by another node, or fails until somebody mends it.
    if (expired.length < BATCH || swept === 0) return;
  }
}

/** Forgets keys whose time is up before their folder's, and erases their shares. */
async function forgetExpiredKeys({ db, keyShares }: SweepDeps, report: Report): Promise<void> {
  const isExpired = lte(temp_encryption_keys.expires_at, sql`clock_timestamp()`);
  for (;;) {
    const expired = await db
      .select({ folder_id: temp_encryption_keys.folder_id })
      .from(temp_encryption_keys)
      .where(isExpired)
      .limit(BATCH);
    const ids = expired.map(({ folder_id }) => folder_id);
    // A key that was replaced meanwhile has time left.
    const forgotten = await db
      .delete(temp_encryption_keys)
      .where(and(inArray(temp_encryption_keys.folder_id, ids), isExpired))
      .returning();
    for (const { folder_id, share_id } of forgotten) {
      if (share_id) await keyShares.erase({ folder_id, share_id }).catch(report);
    }
    if (expired.length < BATCH) return;
  }
}

/**
 * Erases shares that no key row claims: left by a crash between writing and committing, or between a commit and the
 * erasing that follows it. One whose folder this database has never heard of stays for as long as a folder lives: a
 * start with a wrong DATABASE_URL must not cost other folders their keys.
 */
async function eraseOrphanedShares({ db, keyShares, tiers }: SweepDeps, report: Report): Promise<void> {
  const lifetimeMs = HOUR_MS * Math.max(...Object.values(tiers).map((limits) => limits.folder_lifetime_hours));
  const old = (await keyShares.list()).filter(({ ageMs }) => ageMs > ORPHAN_AGE_MS);
  for (let from = 0; from < old.length; from += BATCH) {
    const shares = old.slice(from, from + BATCH);
    const rows = await db
      .select({ id: folders.id, claim: temp_encryption_keys.share_id })
      .from(folders)
      .leftJoin(temp_encryption_keys, eq(temp_encryption_keys.folder_id, folders.id))
      .where(
        inArray(
          folders.id,
          shares.map(({ folder_id }) => folder_id),
        ),
      );
    const claims = new Map(rows.map(({ id, claim }) => [id, claim]));
    for (const { folder_id, share_id, ageMs } of shares) {
      const isDead = claims.has(folder_id) ? claims.get(folder_id) !== share_id : ageMs > lifetimeMs;
      // One that can't be erased must not keep the others.
      if (isDead) await keyShares.erase({ folder_id, share_id }).catch(report);
    }
  }
}

/** Rows whose time is over. A tombstone outlives every request that was under way when it was made. */
async function forgetOldRows({ db }: RemovalDeps): Promise<void> {
  await db.delete(sessions).where(lte(sessions.expires_at, sql`now()`));
  await forgetOldTries(db);
  await db
    .update(slugs)
    .set(NOTHING_KEPT)
    .where(and(isNotNull(slugs.expires_at), lte(slugs.expires_at, sql`now() - interval '30 days'`)));
  await db
    .delete(folders)
    .where(
      and(
        lte(folders.deleted_at, sql`now() - interval '1 hour'`),
        notExists(db.select().from(files).where(eq(files.folder_id, folders.id))),
        notExists(db.select().from(uploads).where(eq(uploads.folder_id, folders.id))),
      ),
    );
}

/**
 * Frees what has expired: folders, uploads, blobs, shares, sessions, slugs. Several nodes may do so at once.
 * @param report told of whatever failed; the rest is swept all the same, and the next sweep tries again
 */
export async function sweep(deps: SweepDeps, report: Report): Promise<void> {
  await sweepExpiredFolders(deps, report).catch(report);
  await dropExpiredUploads(deps.db).catch(report);
  await removeQueuedBlobs(deps, report).catch(report);
  await forgetExpiredKeys(deps, report).catch(report);
  await eraseOrphanedShares(deps, report).catch(report);
  await forgetOldRows(deps).catch(report);
  await forgetExpiredGrants(deps.db).catch(report);
  // The rows before the salt: what is left of a day that is over must not be told apart from today's.
  await forgetPseudonyms(deps.db).catch(report);
  await deps.visitorSalts.forgetPast().catch(report);
}
