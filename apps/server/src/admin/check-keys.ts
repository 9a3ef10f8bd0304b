import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR_MS } from '@satchel/contract/limits';
import type { Tiers } from '@satchel/contract/tiers';
import { longestLifeHours } from '@satchel/contract/tiers';
import { and, asc, gt, inArray, isNotNull } from 'drizzle-orm';
import type { Queryable } from '../platform/database/db.ts';
import type { AgedKeyShare, KeyShareId, LocalKeyShares } from '../platform/keys/key-shares.ts';
import { folders } from '../platform/schema/folders.ts';
import { temp_encryption_keys } from '../platform/schema/links.ts';
import type { CheckResult, Finding } from './findings.ts';

/** Compares private links with key shares: each link has one, and a key share without a link is purged in time. */

export interface KeyCheckDeps {
  readonly db: Queryable;
  readonly keyShares: LocalKeyShares;
  readonly tiers: Tiers;
  /** Pause before suspects are checked again. */
  readonly pauseMs: number;
}

const BATCH = 500;
/** A crash leaves key shares without a row. Sweeps reach every key share within the hour, and skip young ones. */
const PURGED_WITHIN_MS = 2 * HOUR_MS;

const keyOf = ({ folder_id, share_id }: KeyShareId): string => `${folder_id} ${share_id}`;
const detailOf = ({ folder_id, share_id }: KeyShareId) => ({ folder: folder_id, share: share_id });

async function claimsBehind(db: Queryable, folderId: string | null): Promise<KeyShareId[]> {
  const isBehind = folderId === null ? undefined : gt(temp_encryption_keys.folder_id, folderId);
  const rows = await db
    .select({ folder_id: temp_encryption_keys.folder_id, share_id: temp_encryption_keys.share_id })
    .from(temp_encryption_keys)
    .where(and(isNotNull(temp_encryption_keys.share_id), isBehind))
    .orderBy(asc(temp_encryption_keys.folder_id))
    .limit(BATCH);
  return rows as KeyShareId[];
}

/** Links with a key share, ordered by folder id, in batches. */
async function* claims(db: Queryable): AsyncGenerator<KeyShareId[]> {
  for (let batch = await claimsBehind(db, null); batch.length > 0; ) {
    yield batch;
    batch = await claimsBehind(db, batch.at(-1)!.folder_id);
  }
}

async function claimsOf(db: Queryable, ids: readonly KeyShareId[]): Promise<Set<string>> {
  const rows = await db
    .select({ folder_id: temp_encryption_keys.folder_id, share_id: temp_encryption_keys.share_id })
    .from(temp_encryption_keys)
    .where(
      inArray(
        temp_encryption_keys.folder_id,
        ids.map(({ folder_id }) => folder_id),
      ),
    );
  return new Set(rows.flatMap(({ folder_id, share_id }) => (share_id ? [keyOf({ folder_id, share_id })] : [])));
}

async function missingOf({ keyShares }: KeyCheckDeps, ids: readonly KeyShareId[]): Promise<KeyShareId[]> {
  const missing: KeyShareId[] = [];
  for (const id of ids) if ((await keyShares.read(id)) === null) missing.push(id);
  return missing;
}

/** A key share is written before its row and deleted after it: a row that persists has its key share. */
async function findMissing(deps: KeyCheckDeps): Promise<{ findings: Finding[]; links: number }> {
  let links = 0;
  const suspects: KeyShareId[] = [];
  for await (const batch of claims(deps.db)) {
    links += batch.length;
    suspects.push(...(await missingOf(deps, batch)));
  }
  const findings: Finding[] = [];
  for (let from = 0; from < suspects.length; from += BATCH) {
    const some = suspects.slice(from, from + BATCH);
    const still = await claimsOf(deps.db, some);
    for (const id of some) if (still.has(keyOf(id))) findings.push({ kind: 'share_missing', detail: detailOf(id) });
  }
  return { findings, links };
}

/** How long a key share without a link may stay: a folder that this database never knew may belong to another one. */
async function isOverdue(
  { db, tiers }: KeyCheckDeps,
  shares: readonly AgedKeyShare[],
): Promise<(share: AgedKeyShare) => boolean> {
  const lifetimeMs = HOUR_MS * longestLifeHours(tiers);
  const known = await db
    .select({ id: folders.id })
    .from(folders)
    .where(
      inArray(
        folders.id,
        shares.map(({ folder_id }) => folder_id),
      ),
    );
  const ids = new Set(known.map(({ id }) => id));
  return ({ folder_id, ageMs }) => ageMs > PURGED_WITHIN_MS + (ids.has(folder_id) ? 0 : lifetimeMs);
}

async function findUnclaimed(deps: KeyCheckDeps): Promise<{ findings: Finding[]; shares: number; unclaimed: number }> {
  const { db, keyShares, pauseMs } = deps;
  let count = 0;
  let unclaimed = 0;
  const suspects: KeyShareId[] = [];
  for await (const shares of keyShares.walk()) {
    count += shares.length;
    const claimed = shares.length > 0 ? await claimsOf(db, shares) : new Set();
    const unnamed = shares.filter((share) => !claimed.has(keyOf(share)));
    if (unnamed.length === 0) continue;
    const overdue = unnamed.filter(await isOverdue(deps, unnamed));
    unclaimed += unnamed.length - overdue.length;
    suspects.push(...overdue);
  }
  // A link that was just replaced or ended loses its row a moment before its key share.
  if (suspects.length > 0) await sleep(pauseMs);
  const findings: Finding[] = [];
  for (let from = 0; from < suspects.length; from += BATCH) {
    const some = suspects.slice(from, from + BATCH);
    const claimed = await claimsOf(db, some);
    for (const id of some) {
      if (claimed.has(keyOf(id)) || (await keyShares.read(id)) === null) continue;
      findings.push({ kind: 'share_unclaimed', detail: detailOf(id) });
    }
  }
  return { findings, shares: count, unclaimed };
}

export async function checkKeys(deps: KeyCheckDeps): Promise<CheckResult> {
  const missing = await findMissing(deps);
  const unclaimed = await findUnclaimed(deps);
  return {
    findings: [...missing.findings, ...unclaimed.findings],
    checked: { private_links: missing.links, key_shares: unclaimed.shares },
    queued: { key_shares: unclaimed.unclaimed },
  };
}
