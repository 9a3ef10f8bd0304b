import { sql } from 'drizzle-orm';
import { type Queryable, rowsOf } from '../platform/database/db.ts';
import type { CheckResult, Finding, FindingKind } from './findings.ts';

/**
 * Compares stored sums with the rows that they sum up. Each check is one statement and so one snapshot: it sees a
 * transaction completely or not at all, so that a running server causes no false finding.
 */

interface Wrong {
  readonly id: string;
  readonly [column: string]: string;
}

/** @returns a finding for each pair of columns that differ */
function differences(
  rows: readonly Wrong[],
  of: 'profile' | 'folder',
  pairs: readonly (readonly [kind: FindingKind, booked: string, actual: string])[],
): Finding[] {
  return rows.flatMap((row) =>
    pairs
      .filter(([, booked, actual]) => Number(row[booked]) !== Number(row[actual]))
      .map(([kind, booked, actual]) => ({
        kind,
        detail: { [of]: row.id, booked: Number(row[booked]), actual: Number(row[actual]) },
      })),
  );
}

async function checkProfiles(db: Queryable): Promise<Finding[]> {
  const wrong = await db.execute(sql`
    select * from (
      select profiles.id, used_bytes, reserved_bytes,
        coalesce(stored.bytes, 0) as stored_bytes, coalesce(open.bytes, 0) as open_bytes
      from profiles
      left join (
        select folders.owner_profile_id as id, sum(files.size_bytes) as bytes
        from files join folders on folders.id = files.folder_id group by 1
      ) as stored on stored.id = profiles.id
      left join (
        select profile_id as id, sum(length_bytes) as bytes from uploads where completed_at is null group by 1
      ) as open on open.id = profiles.id
    ) as books
    where used_bytes <> stored_bytes or reserved_bytes <> open_bytes order by id`);
  return differences(rowsOf<Wrong>(wrong), 'profile', [
    ['profile_used', 'used_bytes', 'stored_bytes'],
    ['profile_reserved', 'reserved_bytes', 'open_bytes'],
  ]);
}

async function checkFolders(db: Queryable): Promise<Finding[]> {
  const wrong = await db.execute(sql`
    select * from (
      select folders.id, size_bytes, file_count, coalesce(stored.bytes, 0) as stored_bytes, coalesce(stored.count, 0) as count
      from folders left join (
        select folder_id, sum(files.size_bytes) as bytes, count(*) as count from files group by 1
      ) as stored on stored.folder_id = folders.id
    ) as books
    where size_bytes <> stored_bytes or file_count <> count order by id`);
  return differences(rowsOf<Wrong>(wrong), 'folder', [
    ['folder_size', 'size_bytes', 'stored_bytes'],
    ['folder_file_count', 'file_count', 'count'],
  ]);
}

/** Finds rows that the transaction of a deletion, an expiry or the end of a link should have deleted. */
async function checkEndedFolders(db: Queryable): Promise<Finding[]> {
  const left = await db.execute(sql`
    select * from (
      select id, deleted_at is not null as deleted, link_mode,
        (select count(*) from files where folder_id = folders.id) as files,
        (select count(*) from uploads where folder_id = folders.id and completed_at is null) as uploads,
        (select count(*) from temp_encryption_keys where folder_id = folders.id) as keys
      from folders where deleted_at is not null or exists (select from temp_encryption_keys where folder_id = folders.id)
    ) as ended
    where (deleted and (files > 0 or uploads > 0 or keys > 0)) or (not deleted and link_mode in ('plain', 'revoked'))
    order by id`);
  const rows = rowsOf<{ id: string; deleted: boolean; files: string; uploads: string; keys: string }>(left);
  return rows.map(({ id: folder, deleted, files, uploads, keys }) => {
    if (!deleted) return { kind: 'key_of_ended_link', detail: { folder } };
    const detail = { folder, files: Number(files), open_uploads: Number(uploads), keys: Number(keys) };
    return { kind: 'folder_not_empty', detail };
  });
}

export async function checkQuota(db: Queryable): Promise<CheckResult> {
  const [counts] = rowsOf<{ accounts: string; folders: string }>(
    await db.execute(sql`
      select (select count(*) from profiles) as accounts, (select count(*) from folders where deleted_at is null) as folders`),
  );
  const findings = [...(await checkProfiles(db)), ...(await checkFolders(db)), ...(await checkEndedFolders(db))];
  const looked = { accounts: Number(counts?.accounts), folders: Number(counts?.folders) };
  return { findings, looked, waiting: {} };
}
