import { setTimeout as sleep } from 'node:timers/promises';
import type { Tiers } from '@satchel/contract/tiers';
import { and, asc, gt, inArray, isNotNull } from 'drizzle-orm';
import type { Queryable } from '../platform/db.ts';
import type { AgedShare, KeptShares, ShareId } from '../platform/key-shares.ts';
import { folders, temp_encryption_keys } from '../platform/schema.ts';
import type { Finding, Looked } from './findings.ts';

/** Private links against their key shares: each has one, and a share that no link names is erased in time. */

export interface KeyCheckDeps {
  readonly db: Queryable;
  readonly keyShares: KeptShares;
  readonly tiers: Tiers;
  /** Before the second look at what was found. */
  readonly pauseMs: number;
}

const BATCH = 500;
const HOUR_MS = 60 * 60_000;
/** A crash leaves shares that no row names; sweeps come to every share within the hour, and leave young ones alone. */
const SWEPT_WITHIN_MS = 2 * HOUR_MS;

const keyOf = ({ folder_id, share_id }: ShareId): string => `${folder_id} ${share_id}`;
const detailOf = ({ folder_id, share_id }: ShareId) => ({ folder: folder_id, share: share_id });

async function claimsBehind(db: Queryable, folderId: string | null): Promise<ShareId[]> {
  const isBehind = folderId === null ? undefined : gt(temp_encryption_keys.folder_id, folderId);
  const rows = await db
    .select({ folder_id: temp_encryption_keys.folder_id, share_id: temp_encryption_keys.share_id })
    .from(temp_encryption_keys)
    .where(and(isNotNull(temp_encryption_keys.share_id), isBehind))
    .orderBy(asc(temp_encryption_keys.folder_id))
    .limit(BATCH);
  return rows as ShareId[];
}

/** Links that name a share, by their folders' ids, a batch at a time. */
async function* claims(db: Queryable): AsyncGenerator<ShareId[]> {
  for (let batch = await claimsBehind(db, null); batch.length > 0; ) {
    yield batch;
    batch = await claimsBehind(db, batch.at(-1)!.folder_id);
  }
}

async function claimsOf(db: Queryable, ids: readonly ShareId[]): Promise<Set<string>> {
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

async function missingOf({ keyShares }: KeyCheckDeps, ids: readonly ShareId[]): Promise<ShareId[]> {
  const missing: ShareId[] = [];
  for (const id of ids) if ((await keyShares.read(id)) === null) missing.push(id);
  return missing;
}

/** Shares are written before the row that names them, and erased after it: a row that stays has its share. */
async function findMissing(deps: KeyCheckDeps): Promise<{ findings: Finding[]; links: number }> {
  let links = 0;
  const suspects: ShareId[] = [];
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

/** What a share that no link names still is allowed: a folder that this database never knew may be another's. */
async function isOverdue(
  { db, tiers }: KeyCheckDeps,
  shares: readonly AgedShare[],
): Promise<(share: AgedShare) => boolean> {
  const lifetimeMs = HOUR_MS * Math.max(...Object.values(tiers).map((limits) => limits.folder_lifetime_hours));
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
  return ({ folder_id, ageMs }) => ageMs > SWEPT_WITHIN_MS + (ids.has(folder_id) ? 0 : lifetimeMs);
}

async function findUnclaimed(deps: KeyCheckDeps): Promise<{ findings: Finding[]; shares: number; unclaimed: number }> {
  const { db, keyShares, pauseMs } = deps;
  let count = 0;
  let unclaimed = 0;
  const suspects: ShareId[] = [];
  for await (const shares of keyShares.walk()) {
    count += shares.length;
    const claimed = shares.length > 0 ? await claimsOf(db, shares) : new Set();
    const nobodys = shares.filter((share) => !claimed.has(keyOf(share)));
    if (nobodys.length === 0) continue;
    const overdue = nobodys.filter(await isOverdue(deps, nobodys));
    unclaimed += nobodys.length - overdue.length;
    suspects.push(...overdue);
  }
  // A link that was replaced or ended just now loses its share a moment after its row.
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

export async function checkKeys(deps: KeyCheckDeps): Promise<Looked> {
  const missing = await findMissing(deps);
  const unclaimed = await findUnclaimed(deps);
  return {
    findings: [...missing.findings, ...unclaimed.findings],
    looked: { private_links: missing.links, key_shares: unclaimed.shares },
    waiting: { key_shares: unclaimed.unclaimed },
  };
}
