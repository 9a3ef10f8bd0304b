import type { Tiers } from '@satchel/contract/tiers';
import type { BlobStore } from '../platform/blobs.ts';
import type { Queryable } from '../platform/db.ts';
import type { KeptShares } from '../platform/key-shares.ts';
import { checkBlobs } from './check-blobs.ts';
import { checkBooks } from './check-books.ts';
import { checkKeys } from './check-keys.ts';
import { checkSite } from './check-site.ts';
import type { Counts, Looked } from './findings.ts';

/**
 * Looks whether a site's database, its blobs and its key shares fit together. It changes nothing, and raises no false
 * alarm beside a running server: what it takes for wrong it looks at again.
 */

export interface FsckDeps {
  readonly db: Queryable;
  readonly dataDir: string;
  /** Null on the key service's machine, which stores no files. */
  readonly blobs: BlobStore | null;
  /** Null where a key service on another machine has them. */
  readonly keyShares: KeptShares | null;
  readonly tiers: Tiers;
  readonly readsBlobs: boolean;
  /** Before the second look; longer than a request takes between its commit and what follows it. */
  readonly pauseMs: number;
}

export interface FsckReport extends Looked {
  /** What is on another machine, and was not looked at. */
  readonly elsewhere: readonly ('blobs' | 'key_shares')[];
}

const joined = (counts: readonly Counts[]): Counts => Object.assign({}, ...counts);

export async function fsck({ blobs, keyShares, ...deps }: FsckDeps): Promise<FsckReport> {
  const role = blobs ? 'site' : 'keys';
  const parts = [await checkSite(deps.db, role, deps.dataDir), await checkBooks(deps.db)];
  if (blobs) parts.push(await checkBlobs({ ...deps, blobs }));
  if (keyShares) parts.push(await checkKeys({ ...deps, keyShares }));
  return {
    findings: parts.flatMap(({ findings }) => findings),
    looked: joined(parts.map(({ looked }) => looked)),
    waiting: joined(parts.map(({ waiting }) => waiting)),
    elsewhere: [...(blobs ? [] : ['blobs' as const]), ...(keyShares ? [] : ['key_shares' as const])],
  };
}
