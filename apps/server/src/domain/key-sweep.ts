import type { Tiers } from '@satchel/contract/tiers';
import { and, eq, inArray, lte, sql } from 'drizzle-orm';
import type { Db } from '../platform/db.ts';
import type { AgedShare, KeptShares } from '../platform/key-shares.ts';
import { folders, temp_encryption_keys } from '../platform/schema.ts';

/** How keys go whose time is up, and shares that nothing claims: done where the shares are. */

export interface KeySweepDeps {
  readonly db: Db;
  readonly keyShares: KeptShares;
  /** A share that is older than the longest life of a folder belongs to no living one, whoever's it was. */
  readonly tiers: Tiers;
}

type Report = (error: unknown) => void;

const BATCH = 100;
/** Fewer, since each costs several calls of the file system that wait for the disk. */
const KEYS_BATCH = 20;
/** Longer than a request takes between writing a share and committing the row that claims it. */
const ORPHAN_AGE_MS = 5 * 60_000;
const HOUR_MS = 60 * 60_000;
/** Shares and parts of their tree that one sweep looks at: 80,000 shares are looked through within the hour. */
const LOOKS_MAX = 10_000;

/** Forgets keys whose time is up before their folder's, and erases their shares. */
async function forgetExpiredKeys({ db, keyShares }: KeySweepDeps, report: Report, signal?: AbortSignal): Promise<void> {
  const isExpired = lte(temp_encryption_keys.expires_at, sql`now()`);
  while (!signal?.aborted) {
    const expired = await db
      .select({ folder_id: temp_encryption_keys.folder_id })
      .from(temp_encryption_keys)
      .where(isExpired)
      .limit(KEYS_BATCH);
    const ids = expired.map(({ folder_id }) => folder_id);
    // A key that was replaced meanwhile has time left.
    const forgotten = await db
      .delete(temp_encryption_keys)
      .where(and(inArray(temp_encryption_keys.folder_id, ids), isExpired))
      .returning();
    // All of the batch, also of one that is to end: what is forgotten without it only a walk through the tree would find.
    for (const { folder_id, share_id } of forgotten) {
      if (share_id) await keyShares.erase({ folder_id, share_id }).catch(report);
    }
    if (expired.length < KEYS_BATCH) return;
  }
}

/** Erases those of some shares that are dead. */
async function eraseDead(
  { db, keyShares, tiers }: KeySweepDeps,
  shares: readonly AgedShare[],
  report: Report,
): Promise<void> {
  const lifetimeMs = HOUR_MS * Math.max(...Object.values(tiers).map((limits) => limits.folder_lifetime_hours));
  const ids = shares.map(({ folder_id }) => folder_id);
  const rows = await db
    .select({ id: folders.id, claim: temp_encryption_keys.share_id })
    .from(folders)
    .leftJoin(temp_encryption_keys, eq(temp_encryption_keys.folder_id, folders.id))
    .where(inArray(folders.id, ids));
  const claims = new Map(rows.map(({ id, claim }) => [id, claim]));
  for (const { folder_id, share_id, ageMs } of shares) {
    const isDead = claims.has(folder_id) ? claims.get(folder_id) !== share_id : ageMs > lifetimeMs;
    // One that can't be erased must not keep the others.
    if (isDead) await keyShares.erase({ folder_id, share_id }).catch(report);
  }
}

/**
 * Erases shares that no key row claims: left by a crash between writing and committing, or between a commit and the
 * erasing that follows it. One whose folder this database has never heard of stays for as long as a folder lives: a
 * start with a wrong DATABASE_URL must not cost other folders their keys. A sweep looks at a bounded number of them and
 * the next one goes on there: what it costs does not grow with what is stored.
 */
async function eraseOrphanedShares(deps: KeySweepDeps, report: Report, signal?: AbortSignal): Promise<void> {
  let looked = 0;
  let old: AgedShare[] = [];
  for await (const shares of deps.keyShares.walk()) {
    if (signal?.aborted) return;
    // A part of the tree costs a look of its own, however few are in it.
    looked += 1 + shares.length;
    old.push(...shares.filter(({ ageMs }) => ageMs > ORPHAN_AGE_MS));
    while (old.length >= BATCH && !signal?.aborted) {
      await eraseDead(deps, old.slice(0, BATCH), report);
      old = old.slice(BATCH);
    }
    if (looked >= LOOKS_MAX) break;
  }
  if (old.length > 0 && !signal?.aborted) await eraseDead(deps, old, report);
}

/**
 * Frees what is left of keys: those that have expired, with or before their folders, and shares that nothing claims.
 * @param report told of whatever failed; the next sweep tries again
 * @param signal ends it between two of its small steps
 */
export async function sweepKeys(deps: KeySweepDeps, report: Report, signal?: AbortSignal): Promise<void> {
  await forgetExpiredKeys(deps, report, signal).catch(report);
  await eraseOrphanedShares(deps, report, signal).catch(report);
}
