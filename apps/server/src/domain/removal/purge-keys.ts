import { HOUR_MS } from '@satchel/contract/limits';
import type { Tiers } from '@satchel/contract/tiers';
import { longestLifeHours } from '@satchel/contract/tiers';
import { and, eq, inArray, lte, sql } from 'drizzle-orm';
import type { Db } from '../../platform/database/db.ts';
import type { AgedKeyShare, LocalKeyShares } from '../../platform/keys/key-shares.ts';
import { folders } from '../../platform/schema/folders.ts';
import { temp_encryption_keys } from '../../platform/schema/links.ts';

/** Purges expired keys and key shares that no key claims, on the node that stores the key shares. */

export interface PurgeKeysDeps {
  readonly db: Db;
  readonly keyShares: LocalKeyShares;
  /** A key share older than the longest lifetime of all tiers belongs to no live folder. */
  readonly tiers: Tiers;
}

type Report = (error: unknown) => void;

const BATCH = 100;
/** Fewer, since each key costs several file-system calls that wait for the disk. */
const KEYS_BATCH = 20;
/** Longer than a request takes between writing a key share and committing the row that claims it. */
const ORPHAN_AGE_MS = 5 * 60_000;
/** Key shares and directories that one sweep looks at: sweeps look at 80,000 key shares within the hour. */
const LOOKS_MAX = 10_000;

/** Deletes keys that expire before their folder, and their key shares. */
async function purgeExpiredKeys({ db, keyShares }: PurgeKeysDeps, report: Report, signal?: AbortSignal): Promise<void> {
  const isExpired = lte(temp_encryption_keys.expires_at, sql`now()`);
  while (!signal?.aborted) {
    const expired = await db
      .select({ folder_id: temp_encryption_keys.folder_id })
      .from(temp_encryption_keys)
      .where(isExpired)
      .limit(KEYS_BATCH);
    const ids = expired.map(({ folder_id }) => folder_id);
    // A key that was replaced since the select has not expired.
    const deleted = await db
      .delete(temp_encryption_keys)
      .where(and(inArray(temp_encryption_keys.folder_id, ids), isExpired))
      .returning();
    // The whole batch, even when the sweep is aborted: only a walk through the tree would find the key shares left.
    for (const { folder_id, share_id } of deleted) {
      if (share_id) await keyShares.delete({ folder_id, share_id }).catch(report);
    }
    if (expired.length < KEYS_BATCH) return;
  }
}

/** Deletes the key shares that are dead. */
async function purgeDeadShares(
  { db, keyShares, tiers }: PurgeKeysDeps,
  shares: readonly AgedKeyShare[],
  report: Report,
): Promise<void> {
  const lifetimeMs = HOUR_MS * longestLifeHours(tiers);
  const ids = shares.map(({ folder_id }) => folder_id);
  const rows = await db
    .select({ id: folders.id, claim: temp_encryption_keys.share_id })
    .from(folders)
    .leftJoin(temp_encryption_keys, eq(temp_encryption_keys.folder_id, folders.id))
    .where(inArray(folders.id, ids));
  const claims = new Map(rows.map(({ id, claim }) => [id, claim]));
  for (const { folder_id, share_id, ageMs } of shares) {
    const isDead = claims.has(folder_id) ? claims.get(folder_id) !== share_id : ageMs > lifetimeMs;
    // A key share that can't be deleted must not keep the others from it.
    if (isDead) await keyShares.delete({ folder_id, share_id }).catch(report);
  }
}

/**
 * Purges key shares that no key row claims: left by a crash between writing and committing, or between a commit and the
 * deletion that follows it. A key share of a folder that this database does not know stays for the longest lifetime of
 * a folder: a start with a wrong DATABASE_URL must not cost other folders their keys. A sweep looks at a bounded number
 * of key shares and the next one continues there, so that its cost does not grow with what is stored.
 */
async function purgeOrphanedShares(deps: PurgeKeysDeps, report: Report, signal?: AbortSignal): Promise<void> {
  let seen = 0;
  let old: AgedKeyShare[] = [];
  for await (const shares of deps.keyShares.walk()) {
    if (signal?.aborted) return;
    // Reading a directory costs as much as a key share, however few are in it.
    seen += 1 + shares.length;
    old.push(...shares.filter(({ ageMs }) => ageMs > ORPHAN_AGE_MS));
    while (old.length >= BATCH && !signal?.aborted) {
      await purgeDeadShares(deps, old.slice(0, BATCH), report);
      old = old.slice(BATCH);
    }
    if (seen >= LOOKS_MAX) break;
  }
  if (old.length > 0 && !signal?.aborted) await purgeDeadShares(deps, old, report);
}

/**
 * Deletes expired keys and orphaned key shares.
 * @param report is called with each failure; the next sweep tries again
 * @param signal ends the purge between two batches
 */
export async function purgeKeys(deps: PurgeKeysDeps, report: Report, signal?: AbortSignal): Promise<void> {
  await purgeExpiredKeys(deps, report, signal).catch(report);
  await purgeOrphanedShares(deps, report, signal).catch(report);
}
