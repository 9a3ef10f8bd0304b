import { sql } from 'drizzle-orm';
import { type Queryable, rowsOf } from '../platform/database/db.ts';
import type { CheckResult, Finding, FindingKind } from './findings.ts';

/**
 * Compares stored sums with the rows that they sum up. Each check is one statement and so one snapshot: it sees a
 * transaction completely or not at all, so that a running server causes no false finding.
 */

interface WrongSum {
  readonly of: 'profile' | 'folder';
  readonly kind: FindingKind;
  readonly id: string;
  readonly saved: string;
  readonly actual: string;
}

async function checkSums(db: Queryable): Promise<Finding[]> {
  const wrong = await db.execute(sql`
    with stored as (
        select folder_id as id, sum(size_bytes) as bytes, count(*) as files,
          sum(coalesce(still_small_bytes, 0) + coalesce(still_large_bytes, 0)) as stills
        from files group by 1
      ),
      owned as (
        select owner_profile_id as id, sum(stored.bytes + stored.stills) as bytes
        from stored join folders using (id) group by 1
      ),
      open as (select profile_id as id, sum(length_bytes) as bytes from uploads where completed_at is null group by 1)
    select * from (
      select 'profile' as of, 'profile_used' as kind, id, used_bytes as saved, coalesce(owned.bytes, 0) as actual
        from profiles left join owned using (id)
      union all select 'profile', 'profile_reserved', id, reserved_bytes, coalesce(open.bytes, 0)
        from profiles left join open using (id)
      union all select 'folder', 'folder_size', id, size_bytes, coalesce(stored.bytes, 0)
        from folders left join stored using (id)
      union all select 'folder', 'folder_file_count', id, file_count, coalesce(stored.files, 0)
        from folders left join stored using (id)
    ) as sums
    where saved <> actual order by id, kind`);
  return rowsOf<WrongSum>(wrong).map(({ of, kind, id, saved, actual }) => ({
    kind,
    detail: { [of]: id, saved: Number(saved), actual: Number(actual) },
  }));
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
  const findings = [...(await checkSums(db)), ...(await checkEndedFolders(db))];
  const checked = { accounts: Number(counts?.accounts), folders: Number(counts?.folders) };
  return { findings, checked, queued: {} };
}
