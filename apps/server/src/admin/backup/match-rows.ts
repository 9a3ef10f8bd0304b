import type { Tiers } from '@satchel/contract/tiers';
import { type SQL, sql } from 'drizzle-orm';
import type { BlobStore } from '../../platform/blobs/blobs.ts';
import { type Queryable, rowsOf } from '../../platform/database/db.ts';
import type { LocalKeyShares } from '../../platform/keys/key-shares.ts';
import { checkBlobs } from '../check-blobs.ts';
import { checkKeys } from '../check-keys.ts';
import type { Finding, FindingKind } from '../findings.ts';

/**
 * Makes the rows of a backup match the bytes and key shares that are there: what has none is dropped, and bytes that no
 * row names are queued for the sweep. Afterwards `fsck` finds nothing.
 */

export interface MatchDeps {
  readonly tx: Queryable;
  readonly blobs: BlobStore;
  /** Null when a key service on another machine stores them. */
  readonly keyShares: LocalKeyShares | null;
  readonly tiers: Tiers;
}

export interface Dropped {
  readonly files: number;
  readonly stills: number;
  readonly open_uploads: number;
  /** Private links without their key share: their folders open no more, but in browsers that remember the key. */
  readonly private_links: number;
}

/** Ids in one statement. */
const BATCH = 500;

async function changed(tx: Queryable, ids: readonly string[], statement: (ids: SQL) => SQL): Promise<number> {
  let count = 0;
  for (let from = 0; from < ids.length; from += BATCH) {
    const some = sql`any(string_to_array(${ids.slice(from, from + BATCH).join(',')}::text, ',')::uuid[])`;
    count += rowsOf(await tx.execute(statement(some))).length;
  }
  return count;
}

/** The sums that accounts and folders keep. */
async function bookAnew(tx: Queryable): Promise<void> {
  await tx.execute(sql`
    update folders set size_bytes = stored.bytes, file_count = stored.files from (
      select folders.id, coalesce(sum(files.size_bytes), 0) as bytes, count(files.id) as files
      from folders left join files on files.folder_id = folders.id group by 1
    ) as stored where stored.id = folders.id and (size_bytes, file_count) is distinct from (stored.bytes, stored.files)`);
  await tx.execute(sql`
    update profiles set used_bytes = owned.bytes from (
      select profiles.id, coalesce(sum(
        files.size_bytes + coalesce(files.still_small_bytes, 0) + coalesce(files.still_large_bytes, 0)), 0) as bytes
      from profiles left join folders on folders.owner_profile_id = profiles.id
        left join files on files.folder_id = folders.id group by 1
    ) as owned where owned.id = profiles.id and used_bytes <> owned.bytes`);
  await tx.execute(sql`
    update profiles set reserved_bytes = open.bytes from (
      select profiles.id, coalesce(sum(uploads.length_bytes), 0) as bytes
      from profiles left join uploads on uploads.profile_id = profiles.id and uploads.completed_at is null group by 1
    ) as open where open.id = profiles.id and reserved_bytes <> open.bytes`);
}

async function dropBlobless(tx: Queryable, findings: readonly Finding[]): Promise<Omit<Dropped, 'private_links'>> {
  const of = (name: string, ...kinds: FindingKind[]) => [
    ...new Set(findings.filter(({ kind }) => kinds.includes(kind)).map(({ detail }) => String(detail[name]))),
  ];
  const without = of('file', 'file_blob_missing', 'file_blob_size');
  // The still of a file that is dropped has no row any more.
  await changed(
    tx,
    without,
    (ids) => sql`
      insert into blob_removals (blob_key) select still_key from files where id = ${ids} and still_key is not null
      on conflict do nothing`,
  );
  const cut = of('blob', 'file_blob_size', 'still_blob_size', 'upload_blob_short');
  const unnamed = [...cut, ...of('blob', 'blob_unclaimed')];
  for (let from = 0; from < unnamed.length; from += BATCH) {
    const keys = unnamed.slice(from, from + BATCH).join(',');
    await tx.execute(sql`
      insert into blob_removals (blob_key) select unnest(string_to_array(${keys}::text, ',')::uuid[])
      on conflict do nothing`);
  }
  const files = await changed(tx, without, (ids) => sql`delete from files where id = ${ids} returning id`);
  const stills = await changed(
    tx,
    of('file', 'still_blob_missing', 'still_blob_size'),
    (ids) => sql`
      update files set still_key = null, still_small_bytes = null, still_large_bytes = null
      where id = ${ids} returning id`,
  );
  const uploads = of('upload', 'upload_blob_missing', 'upload_blob_short');
  const open_uploads = await changed(tx, uploads, (ids) => sql`delete from uploads where id = ${ids} returning id`);
  await tx.execute(sql`
    delete from blob_parts where not exists (select from files where files.blob_key = blob_parts.blob_key)
    and not exists (select from files where files.still_key = blob_parts.blob_key)
    and not exists (select from uploads where uploads.blob_key = blob_parts.blob_key and completed_at is null)
    and not exists (select from blob_removals where blob_removals.blob_key = blob_parts.blob_key)`);
  await bookAnew(tx);
  return { files, stills, open_uploads };
}

export async function matchRows({ tx, blobs, keyShares, tiers }: MatchDeps): Promise<Dropped> {
  const { findings } = await checkBlobs({ db: tx, blobs, pauseMs: 0, reads: 'nothing' });
  const dropped = await dropBlobless(tx, findings);
  if (keyShares === null) return { ...dropped, private_links: 0 };
  const keys = await checkKeys({ db: tx, keyShares, tiers, pauseMs: 0 });
  const lost = keys.findings.filter(({ kind }) => kind === 'share_missing').map(({ detail }) => String(detail.folder));
  const drop = (ids: SQL) => sql`delete from temp_encryption_keys where folder_id = ${ids} returning folder_id`;
  return { ...dropped, private_links: await changed(tx, lost, drop) };
}
