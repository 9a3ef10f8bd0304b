import { sql } from 'drizzle-orm';
import { partsOf, type StoredPart } from '../../platform/blobs/blobs.ts';
import { type Queryable, rowsOf } from '../../platform/database/db.ts';
import { partsOfBlobs } from './blob-parts.ts';
import type { BlobPurgeDeps } from './blob-purge.ts';

/**
 * Deletes stored parts that no row names: what a killed or stale writer began and nothing acknowledged. The blob of an
 * open upload is left alone, since its writer may be about to give its parts rows.
 */

/** Longer than any request takes from storing a part until its row; a request with a checksum has an open upload. */
const ORPHAN_AGE_MS = 3_600_000;
const BATCH = 500;
const PREFIXES = 256;

const prefixOf = (index: number): string => (index % PREFIXES).toString(16).padStart(2, '0');

/** Which of the blobs are stored for good, and which must not be touched. */
async function ownersOf(db: Queryable, blobKeys: readonly string[]): Promise<ReadonlyMap<string, 'stored' | 'busy'>> {
  const keys = sql`any(string_to_array(${blobKeys.join(',')}::text, ',')::uuid[])`;
  const rows = rowsOf<{ blob_key: string; of: 'stored' | 'busy' }>(
    await db.execute(sql`
      select blob_key, 'stored' as of from files where blob_key = ${keys}
      union all select still_key, 'stored' from files where still_key = ${keys} and still_key is not null
      union all select blob_key, 'busy' from uploads where completed_at is null and blob_key = ${keys}
      union all select blob_key, 'busy' from blob_removals where blob_key = ${keys}`),
  );
  return new Map(rows.map(({ blob_key, of }) => [blob_key, of]));
}

async function deleteOrphansOf({ db, blobs }: BlobPurgeDeps, stored: readonly StoredPart[]): Promise<void> {
  const keys = [...new Set(stored.map(({ blob_key }) => blob_key))];
  const owners = await ownersOf(db, keys);
  const rows = await partsOfBlobs(db, keys);
  const orphans = stored.filter(({ blob_key, name }) => {
    const owner = owners.get(blob_key);
    if (owner !== 'stored') return owner === undefined;
    const parts = partsOf({ blobKey: blob_key, parts: rows.get(blob_key) ?? [] });
    return !parts.some((part) => part.name === name);
  });
  if (orphans.length > 0) await blobs.deleteParts(orphans);
}

interface OrphanDeps extends BlobPurgeDeps {
  /** Younger parts may still get their rows. */
  readonly orphanAgeMs?: number;
}

/**
 * Looks through a small part of all stored parts, another one with each number.
 * @param round any whole number
 */
export async function deleteOrphanParts(
  { orphanAgeMs = ORPHAN_AGE_MS, ...deps }: OrphanDeps,
  round: number,
  signal?: AbortSignal,
): Promise<void> {
  let old: StoredPart[] = [];
  for await (const part of deps.blobs.list(prefixOf(round))) {
    if (signal?.aborted) return;
    if (part.ageMs < orphanAgeMs) continue;
    old.push(part);
    if (old.length < BATCH) continue;
    await deleteOrphansOf(deps, old);
    old = [];
  }
  if (old.length > 0) await deleteOrphansOf(deps, old);
}
