import type { Tiers } from '@satchel/contract/tiers';
import { sql } from 'drizzle-orm';
import type { BlobStore } from '../platform/blobs/blobs.ts';
import { type Queryable, rowsOf } from '../platform/database/db.ts';
import type { LocalKeyShares } from '../platform/keys/key-shares.ts';
import { readSiteId } from '../platform/site/site-id.ts';
import { type BlobReads, checkBlobs } from './check-blobs.ts';
import { checkKeys } from './check-keys.ts';
import { checkQuota } from './check-quota.ts';
import type { CheckResult, Counts } from './findings.ts';

/**
 * Checks that a site's database, blobs and key shares match. It changes nothing, and causes no false finding beside a
 * running server: suspects are checked a second time.
 */

export interface FsckDeps {
  readonly db: Queryable;
  readonly dataDir: string;
  /** Null on the machine of a key service, which stores no files. */
  readonly blobs: BlobStore | null;
  /** Null when a key service on another machine stores them. */
  readonly keyShares: LocalKeyShares | null;
  readonly tiers: Tiers;
  readonly reads: BlobReads;
  /** Pause before suspects are checked again; longer than a request takes between its commit and the work after it. */
  readonly pauseMs: number;
  /** As in check-blobs.ts. */
  readonly atOnce?: number;
}

export interface FsckReport extends CheckResult {
  /** What is stored on another machine and was not checked. */
  readonly elsewhere: readonly ('blobs' | 'key_shares')[];
}

/**
 * Checks that data directory and database belong to one site: with the files of another site, every other finding would
 * be wrong.
 */
async function checkSite(db: Queryable, role: 'site' | 'keys', dataDir: string): Promise<CheckResult> {
  const rows = rowsOf<{ role: string; id: string; is_paired: boolean }>(
    await db.execute(sql`select role, id, is_paired from site`),
  );
  const known = rows[0]?.id ?? null;
  const own = await readSiteId(dataDir);
  // The row is written before the file: a directory without a file may be one whose first start was interrupted.
  const isBegun = own === null && !rows.some((row) => row.role === role && row.is_paired);
  if (own === known || isBegun) return { findings: [], checked: {}, queued: {} };
  const detail = { directory: own ?? 'none', database: known ?? 'none' };
  return { findings: [{ kind: 'site_mismatch', detail }], checked: {}, queued: {} };
}

const joined = (counts: readonly Counts[]): Counts => Object.assign({}, ...counts);

export async function fsck({ blobs, keyShares, ...deps }: FsckDeps): Promise<FsckReport> {
  const role = blobs ? 'site' : 'keys';
  const parts = [await checkSite(deps.db, role, deps.dataDir), await checkQuota(deps.db)];
  if (blobs) parts.push(await checkBlobs({ ...deps, blobs }));
  if (keyShares) parts.push(await checkKeys({ ...deps, keyShares }));
  return {
    findings: parts.flatMap(({ findings }) => findings),
    checked: joined(parts.map(({ checked }) => checked)),
    queued: joined(parts.map(({ queued }) => queued)),
    elsewhere: [...(blobs ? [] : ['blobs' as const]), ...(keyShares ? [] : ['key_shares' as const])],
  };
}
