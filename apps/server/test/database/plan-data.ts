import type pg from 'pg';

/** The database of a large site, filled by the database itself within minutes: plans depend on the stored data. */

export interface PlanSizes {
  readonly folders: number;
  readonly files: number;
  /** Fills these tables only. */
  readonly tables?: readonly string[];
}

/** Ids that later statements can name: the n-th of a kind is always the same. */
const id = (kind: number, n: string) =>
  `('00000000-0000-4000-8${kind.toString().padStart(3, '0')}-' || lpad(to_hex(${n}), 12, '0'))::uuid`;
const slugOf = (n: string) => `'planslug' || lpad(to_hex(${n}), 12, '0')`;
const [PROFILE, FOLDER, FILE, BLOB, STILL] = [1, 2, 3, 4, 5];
const soon = "now() + interval '1 hour' + random() * interval '22 hours'";
const oneAfterTheOther = "now() + interval '1 hour' + n * interval '1 millisecond'";
const lately = "now() - random() * interval '10 hours'";

/**
 * In the order of their references. Nothing is due for as long as filling and asking takes: what is swept then is what the
 * server itself did.
 */
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
    `insert into device_codes (device_code_hash, user_code_hash, client, host, network, interval_seconds, expires_at, allowed_by)
      select md5(n::text), md5((-n)::text), 'satchel', 'host ' || n, '192.0.2.1', 5, ${oneAfterTheOther},
      case when n % 10 = 0 then (select id from sessions limit 1) end from ${each(folders / 10)}`,
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
    // Files in the order of their folders, as they come to a site.
    `insert into files (id, folder_id, name, size_bytes, mimetype, cache_control, sealed, blob_key, checksum, created_at, updated_at,
        still_key, still_small_bytes, still_large_bytes)
      select ${id(FILE, 'n')}, ${id(FOLDER, `1 + (n - 1) * ${folders}::bigint / ${files}`)}, 'file_' || n || '.enc', 1000,
      'application/octet-stream', '', repeat('s', 80), ${id(BLOB, 'n')}, 0, ${lately}, ${lately},
      case when n % 3 = 0 then ${id(STILL, 'n')} end, case when n % 3 = 0 then 2000 end, case when n % 3 = 0 then 20000 end from ${each(files)}`,
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
      select md5(n::text), ${anyFolder}, ${oneAfterTheOther} from ${each(folders / 10)}`,
    `insert into folder_guests (folder_id, holder_hash) select ${anyFolder}, md5(n::text) from ${each(folders / 5)}`,
    `insert into folder_shares (folder_id, discord_id, guild_id)
      select ${anyFolder}, case when n % 2 = 0 then '7' || n end, case when n % 2 = 1 then (n % 1000)::text end from ${each(folders)}`,
    `insert into upload_intents (token_hash, discord_id, link_mode, folder_id, reply_token, language, expires_at)
      select md5(n::text), '9' || lpad((1 + n % ${people})::text, 17, '0'), 'private', ${anyFolder}, repeat('r', 100), 'en',
      ${oneAfterTheOther} from ${each(folders / 10)}`,
    `insert into interactions (id, sealed_answer, received_at)
      select 'received' || n, repeat('a', 300), now() + interval '1 hour' from ${each(folders / 5)}`,
    `insert into passphrase_tries (folder_id, tried_at, client)
      select ${anyFolder}, now() + interval '1 hour', md5(n::text) from ${each(folders / 5)}`,
    `insert into reports (slug, reason, note, created_at, closed_at, outcome, sealed_keys)
      select ${slugOf(`1 + n % ${folders}`)}, 'other', repeat('n', 100), ${lately},
      case when n % 2 = 0 then now() end, case when n % 2 = 0 then 'dismissed' end,
      case when n % 2 = 0 then '[]' else '[{"operator_key_id":"' || gen_random_uuid() || '","sealed":"' || repeat('s', 300) || '"}]' end from ${each(folders / 4)}`,
    `insert into operator_acts (operator_discord_id, act, target, at) select '1', 'ban', n::text, ${lately} from ${each(folders / 4)}`,
    `insert into bans (discord_id, reason, created_at) select '8' || lpad(n::text, 17, '0'), 'spam', ${lately} from ${each(folders / 4)}`,
    `insert into denied_blobs (sha256, size_bytes, reason, created_at)
      select md5(n::text) || md5((-n)::text), 1000000 + n, 'spam', ${lately} from ${each(folders / 4)}`,
    `insert into rate_counts (counter, count, ends_at)
      select md5(n::text), 1, now() + interval '1 hour' from ${each(folders / 5)}`,
  ];
};

/** The tables to fill: all without rows after the migrations. */
const TABLES = `select string_agg(quote_ident(relname), ', ') as names from pg_class
  where relkind = 'r' and relnamespace = 'public'::regnamespace and relname not in ('migrations', 'site', 'visitor_salts', 'node_settings')`;

/** Every index that no foreign key needs, and how to drop and make it again, as a constraint if it belongs to one. */
const INDEXES = `
  select
    case when own.oid is null then format('drop index %I', index.relname)
      else format('alter table %I drop constraint %I', owner.relname, own.conname) end as drop,
    case when own.oid is null then pg_get_indexdef(index.oid)
      else format('alter table %I add constraint %I %s', owner.relname, own.conname, pg_get_constraintdef(own.oid)) end as make
  from pg_index
    join pg_class index on index.oid = pg_index.indexrelid
    join pg_class owner on owner.oid = pg_index.indrelid
    left join pg_constraint own on own.conindid = index.oid and own.contype in ('p', 'u')
  where owner.relnamespace = 'public'::regnamespace and owner.relname not in ('migrations', 'site', 'visitor_salts', 'node_settings')
    and not exists (select from pg_constraint where contype = 'f' and conindid = index.oid)`;

/** The most memory for sorting an index of ten million rows. */
const SORT_MEMORY = '1GB';

/**
 * Fills a migrated, empty database and analyzes it. One transaction truncates the tables first: with `wal_level =
 * minimal` PostgreSQL then writes no log of their rows and indexes.
 */
export async function fillForPlans(client: pg.Client, sizes: PlanSizes): Promise<void> {
  await client.query('set statement_timeout = 0');
  await client.query(`set maintenance_work_mem = '${SORT_MEMORY}'`);
  // The references are right by construction, and need no ten million look-ups.
  await client.query("set session_replication_role = 'replica'");
  await client.query('begin');
  const { rows: tables } = await client.query<{ names: string }>(TABLES);
  await client.query(`truncate ${tables[0]!.names}`);
  // An index takes a fraction of the time if it is built once all rows exist.
  const { rows: indexes } = await client.query<{ drop: string; make: string }>(INDEXES);
  for (const { drop } of indexes) await client.query(drop);
  const isWanted = (filling: string) => {
    const [, table = ''] = /^insert into (\w+)/.exec(filling) ?? [];
    return sizes.tables?.includes(table) ?? true;
  };
  for (const filling of fillings(sizes).filter(isWanted)) await client.query(filling);
  for (const { make } of indexes) await client.query(make);
  await client.query('commit');
  await client.query("set session_replication_role = 'origin'");
  await client.query('vacuum analyze');
}

/** What is swept by its age alone. */
const AGED: readonly (readonly [table: string, ...columns: string[]])[] = [
  ['sessions', 'expires_at'],
  ['device_codes', 'expires_at'],
  ['slugs', 'purge_at'],
  ['folders', 'deleted_at'],
  ['gone_uploads', 'gone_at'],
  ['folder_visitors', 'last_seen_at'],
  ['folder_grants', 'expires_at'],
  ['upload_intents', 'expires_at'],
  ['interactions', 'received_at'],
  ['passphrase_tries', 'tried_at'],
  ['reports', 'created_at', 'closed_at'],
  ['rate_counts', 'ends_at'],
];

/** Ages all that a sweep purges in batches, as if no sweep had run for months. */
export async function ageForPlans(client: pg.Client): Promise<void> {
  await client.query('set statement_timeout = 0');
  await client.query("set session_replication_role = 'replica'");
  for (const [table, ...columns] of AGED) {
    const earlier = columns.map((column) => `${column} = ${column} - interval '100 days'`);
    await client.query(`update ${table} set ${earlier.join(', ')}`);
  }
  await client.query("set session_replication_role = 'origin'");
  await client.query('vacuum analyze');
}
