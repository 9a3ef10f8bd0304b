import type { Tiers } from '@satchel/contract/tiers';
import { and, eq, inArray, lte, sql } from 'drizzle-orm';
import type { Db } from '../platform/db.ts';
import type { KeptShares } from '../platform/key-shares.ts';
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
/** Longer than a request takes between writing a share and committing the row that claims it. */
const ORPHAN_AGE_MS = 5 * 60_000;
const HOUR_MS = 60 * 60_000;

/** Forgets keys whose time is up before their folder's, and erases their shares. */
async function forgetExpiredKeys({ db, keyShares }: KeySweepDeps, report: Report): Promise<void> {
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
async function eraseOrphanedShares({ db, keyShares, tiers }: KeySweepDeps, report: Report): Promise<void> {
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

/**
 * Frees what is left of keys: those that have expired, with or before their folders, and shares that nothing claims.
 * @param report told of whatever failed; the next sweep tries again
 */
export async function sweepKeys(deps: KeySweepDeps, report: Report): Promise<void> {
  await forgetExpiredKeys(deps, report).catch(report);
  await eraseOrphanedShares(deps, report).catch(report);
}
