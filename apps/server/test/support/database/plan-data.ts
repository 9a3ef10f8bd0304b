import type pg from 'pg';

/** A database as that of a large site, made by the database itself within minutes: plans are chosen by what is stored. */

export interface PlanSizes {
  readonly folders: number;
  readonly files: number;
}

/** Ids that a later statement can name: the n-th of a kind is always the same. */
const id = (kind: number, n: string) =>
  `('00000000-0000-4000-8${kind.toString().padStart(3, '0')}-' || lpad(to_hex(${n}), 12, '0'))::uuid`;
const slugOf = (n: string) => `'planslug' || lpad(to_hex(${n}), 12, '0')`;
const [PROFILE, FOLDER, FILE, BLOB] = [1, 2, 3, 4];
const soon = "now() + interval '1 hour' + random() * interval '22 hours'";
const lately = "now() - random() * interval '10 hours'";

/** In the order of their references. `$folders` and `$files` are numbers. */
const fillings = ({ folders, files }: PlanSizes): readonly string[] => {
  const people = Math.ceil(folders / 10);
  const each = (count: number) => `generate_series(1, ${Math.ceil(count)}) n`;
  const anyPerson = id(PROFILE, `1 + n % ${people}`);
  const anyFolder = id(FOLDER, `1 + n % ${folders}`);
  return [
    `insert into profiles (id, discord_id, discord_username)
      select ${id(PROFILE, 'n')}, '9' || lpad(n::text, 17, '0'), 'person ' || n from ${each(people)}`,
    `insert into sessions (token_hash, profile_id, created_at, expires_at)
      select md5(n::text) || md5((-n)::text), ${anyPerson}, ${lately}, ${soon} from ${each(folders / 4)}`,
    `insert into slugs (slug, expires_at, folder_id, storage_path, purge_at)
      select ${slugOf('n')}, null, null, null, null from ${each(folders)}`,
    `insert into slugs (slug, expires_at, folder_id, storage_path, purge_at)
      select 'goneslug' || lpad(to_hex(n), 12, '0'), ${lately}, gen_random_uuid(), gen_random_uuid()::text,
      now() + random() * interval '29 days' from ${each(folders / 2)}`,
    `insert into folders (id, slug, name, created_at, expires_at, bucket, bucket_storage_path, owner_profile_id, link_mode,
        deleted_at, file_count, size_bytes)
      select ${id(FOLDER, 'n')}, ${slugOf('n')}, 'folder ' || n, ${lately}, ${soon}, 'unlocked-folders', 'path-' || n,
      ${anyPerson}, case when n % 5 = 0 then 'plain' else 'private' end,
      case when n % 50 = 0 then now() - interval '20 minutes' end, 0, 0 from ${each(folders)}`,
    `insert into temp_encryption_keys (folder_id, slug, encrypted_key, expires_at, owner_user_id, api_token, share_id)
      select id, slug, repeat('k', 120), expires_at, owner_profile_id, md5(slug), gen_random_uuid() from folders
      where link_mode = 'private' and deleted_at is null`,
    // In the order of their folders and ids, or ten million rows would find their place in each index one by one.
    `insert into files (id, folder_id, name, size_bytes, mimetype, cache_control, sealed, blob_key, created_at, updated_at)
      select ${id(FILE, 'n')}, ${id(FOLDER, `1 + (n - 1) * ${folders}::bigint / ${files}`)}, 'file_' || n || '.enc', 1000,
      'application/octet-stream', '', repeat('s', 80), ${id(BLOB, 'n')}, ${lately}, ${lately} from ${each(files)}`,
    `insert into uploads (folder_id, profile_id, name, mimetype, cache_control, metadata, length_bytes, blob_key, completed_at,
        created_at, expires_at)
      select ${anyFolder}, ${anyPerson}, 'upload_' || n, '', '', repeat('m', 150), 1000, gen_random_uuid(),
      case when n % 10 <> 0 then now() end, ${lately}, ${soon} from ${each(folders)}`,
    `insert into gone_uploads (id, profile_id, gone_at) select gen_random_uuid(), ${anyPerson}, ${lately} from ${each(folders / 2)}`,
    `insert into blob_removals (blob_key, queued_at) select gen_random_uuid(), ${lately} from ${each(folders / 10)}`,
    `insert into folder_activity (folder_id, hour, views)
      select ${id(FOLDER, 'n')}, date_trunc('hour', now()) - h * interval '1 hour', 3 from ${each(folders)}, generate_series(0, 1) h`,
    `insert into folder_visitors (folder_id, visitor, profile_id, first_seen_at, last_seen_at)
      select ${id(FOLDER, 'n')}, md5(n::text || h), case when h = 1 then ${anyPerson} end, now(), now()
      from ${each(folders)}, generate_series(0, 2) h`,
    `insert into folder_grants (token_hash, folder_id, expires_at)
      select md5(n::text), ${anyFolder}, now() + interval '5 minutes' from ${each(folders / 10)}`,
    `insert into folder_guests (folder_id, holder_hash) select ${anyFolder}, md5(n::text) from ${each(folders / 5)}`,
    `insert into folder_shares (folder_id, discord_id, guild_id)
      select ${anyFolder}, case when n % 2 = 0 then '7' || n end, case when n % 2 = 1 then (n % 1000)::text end from ${each(folders)}`,
    `insert into upload_intents (token_hash, discord_id, link_mode, folder_id, reply_token, language, expires_at)
      select md5(n::text), '9' || lpad((1 + n % ${people})::text, 17, '0'), 'private', ${anyFolder}, repeat('r', 100), 'en',
      now() + interval '15 minutes' from ${each(folders / 10)}`,
    `insert into interactions (id, sealed_answer, received_at)
      select 'old' || n, repeat('a', 300), now() - random() * interval '10 minutes' from ${each(folders / 5)}`,
    `insert into passphrase_tries (folder_id, tried_at, client)
      select ${anyFolder}, now() - random() * interval '50 minutes', md5(n::text) from ${each(folders / 5)}`,
    `insert into reports (slug, reason, note, created_at, closed_at, outcome, sealed_keys)
      select ${slugOf(`1 + n % ${folders}`)}, 'other', repeat('n', 100), ${lately},
      case when n % 2 = 0 then now() end, case when n % 2 = 0 then 'dismissed' end,
      case when n % 2 = 0 then '[]' else '[{"operator_key_id":"' || gen_random_uuid() || '","sealed":"' || repeat('s', 300) || '"}]' end from ${each(folders / 4)}`,
    `insert into operator_acts (operator_discord_id, act, target, at) select '1', 'ban', n::text, ${lately} from ${each(folders / 4)}`,
    `insert into bans (discord_id, reason, created_at) select '8' || lpad(n::text, 17, '0'), 'spam', ${lately} from ${each(folders / 4)}`,
    `insert into denied_blobs (sha256, size_bytes, reason, created_at)
      select md5(n::text) || md5((-n)::text), 1000000 + n, 'spam', ${lately} from ${each(folders / 4)}`,
    `insert into rate_counts (counter, count, ends_at)
      select md5(n::text), 1, now() + interval '1 minute' from ${each(folders / 5)}`,
  ];
};

/** Fills a migrated, empty database, and lets it know what is in it. */
export async function fillForPlans(client: pg.Client, sizes: PlanSizes): Promise<void> {
  await client.query('set statement_timeout = 0');
  await client.query('set synchronous_commit = off');
  // References are right by the way they are made, and need not be looked up ten million times.
  await client.query("set session_replication_role = 'replica'");
  for (const filling of fillings(sizes)) await client.query(filling);
  await client.query("set session_replication_role = 'origin'");
  await client.query('vacuum analyze');
}
