import { createHash } from 'node:crypto';
import { TAKEN_BACK_TRIGGERS } from './taken-back-triggers.ts';

/** One step of the schema. A published step is never edited: databases store its hash and compare it. */
export interface Migration {
  readonly id: number;
  readonly statements: readonly string[];
}

/**
 * A table that only the process writes that holds the site (decision 019); a test names tables without this trigger. What
 * is unlogged stays out of the write-ahead log and its backups.
 */
const table = (name: string, columns: string, kind = 'table'): readonly string[] => [
  `create ${kind} ${name} (${columns})`,
  `create trigger require_site before insert or update or delete on ${name} for each statement execute function require_site()`,
];

/**
 * `site-lock.ts` takes the same lock keys. A session that names no holder belongs to a person or to a restore, not to a
 * server. Writers take a lock in shared mode that a new holder takes exclusively, so that it waits for the writers of
 * the old one. A writer that gets the site's own lock knows that no process holds the site.
 */
const SITE: readonly string[] = [
  `create table site (
    role text primary key check (role in ('site', 'keys')),
    id uuid not null,
    is_paired boolean not null default false,
    holder uuid,
    holder_name text
  )`,
  `create function require_site() returns trigger language plpgsql as $$
  declare
    own text := substring(current_setting('application_name') from '^satchel ([0-9a-f-]{36})');
    lock_key integer;
  begin
    if own is null then
      return null;
    end if;
    perform pg_advisory_xact_lock_shared(7234119, 0);
    select case role when 'site' then 1 else 2 end into lock_key from site where holder = own::uuid limit 1;
    if lock_key is null or pg_try_advisory_xact_lock_shared(7234119, lock_key) then
      raise exception 'this process does not have the site' using errcode = 'ST001';
    end if;
    return null;
  end $$`,
  ...table('site_switches', 'name text primary key, is_off boolean not null'),
  ...table('node_settings', 'name text primary key, fingerprint text not null'),
  // The write-ahead log would keep salts beyond their day. Counts of a minute are worth nothing after a crash.
  ...table('visitor_salts', 'day date primary key, sealed_salt text not null', 'unlogged table'),
  ...table(
    'rate_counts',
    'counter text primary key, count integer not null, ends_at timestamptz(3) not null',
    'unlogged table',
  ),
  'create index rate_counts_ends_at on rate_counts (ends_at)',
];

/**
 * Decision 034 says why page reads have hash indexes beside the B-trees, which keep the columns unique, and why they are
 * filled so sparsely.
 */
const lookup = (name: string, place: string): string =>
  `create index ${name} on ${place.replace(' ', ' using hash ')} with (fillfactor = 40)`;

const ACCOUNTS: readonly string[] = [
  ...table(
    'profiles',
    `
    id uuid primary key default gen_random_uuid(),
    name text,
    email text,
    discord_id text not null unique,
    discord_username text,
    discord_global_name text,
    discord_discriminator text,
    discord_public_flags integer not null default 0,
    avatar_url text,
    banner_url text,
    accent_color integer,
    provider text not null default 'discord',
    subscription_tier text not null default 'free',
    upload_link_mode text check (upload_link_mode in ('plain', 'private', 'discord')),
    used_bytes bigint not null default 0 check (used_bytes >= 0),
    reserved_bytes bigint not null default 0 check (reserved_bytes >= 0),
    created_at timestamptz(3) not null default now()`,
  ),
  lookup('profiles_by_id', 'profiles (id)'),
  ...table(
    'sessions',
    `
    id uuid primary key default gen_random_uuid(),
    token_hash text not null unique,
    profile_id uuid not null references profiles(id) on delete cascade,
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null,
    label text,
    last_seen_at timestamptz(3) not null default now()`,
  ),
  'create index sessions_profile_id on sessions (profile_id)',
  'create index sessions_expires_at on sessions (expires_at)',
  lookup('sessions_by_token', 'sessions (token_hash)'),
  lookup('sessions_by_id', 'sessions (id)'),
];

const FOLDERS: readonly string[] = [
  ...table(
    'slugs',
    `
    slug text primary key,
    expires_at timestamptz(3),
    folder_id uuid unique,
    storage_path text unique,
    taken_down_reason text,
    restricted boolean not null default false,
    purge_at timestamptz(3)`,
  ),
  'create index slugs_purge_at on slugs (purge_at)',
  ...table(
    'folders',
    `
    id uuid primary key default gen_random_uuid(),
    slug text not null unique references slugs(slug),
    name text,
    description text,
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null,
    bucket text not null,
    bucket_storage_path text not null unique,
    size_bytes bigint not null default 0 check (size_bytes >= 0),
    file_count integer not null default 0 check (file_count >= 0),
    owner_profile_id uuid not null references profiles(id),
    link_mode text not null check (link_mode in ('plain', 'private', 'discord', 'revoked')),
    access text not null default 'link' check (access in ('link', 'restricted')),
    hide_names boolean not null default true,
    show_name_in_previews boolean not null default false,
    deleted_at timestamptz(3)`,
  ),
  'create index folders_owner on folders (owner_profile_id, created_at)',
  'create index folders_live_until on folders (expires_at) where deleted_at is null',
  'create index folders_deleted_at on folders (deleted_at) where deleted_at is not null',
  lookup('folders_by_slug', 'folders (slug)'),
  lookup('folders_by_path', 'folders (bucket_storage_path)'),
  ...table(
    'folder_activity',
    `
    folder_id uuid not null references folders(id) on delete cascade,
    hour timestamptz(3) not null,
    views bigint not null default 0,
    downloads bigint not null default 0,
    visitors bigint not null default 0,
    primary key (folder_id, hour)`,
  ),
  ...table(
    'folder_visitors',
    `
    folder_id uuid not null references folders(id) on delete cascade,
    visitor text not null,
    profile_id uuid references profiles(id) on delete cascade,
    first_seen_at timestamptz(3) not null,
    last_seen_at timestamptz(3) not null,
    counted_at timestamptz(3),
    views bigint not null default 0,
    downloads bigint not null default 0,
    primary key (folder_id, visitor)`,
  ),
  'create index folder_visitors_profile on folder_visitors (profile_id)',
  'create index folder_visitors_seen on folder_visitors (last_seen_at) where profile_id is null',
];

const LINKS: readonly string[] = [
  ...table(
    'temp_encryption_keys',
    `
    folder_id uuid primary key references folders(id) on delete cascade,
    slug text not null,
    encrypted_key text not null,
    expires_at timestamptz(3) not null,
    owner_user_id uuid not null,
    api_token text not null,
    created_at timestamptz(3) not null default now(),
    share_id uuid,
    proof_hash text,
    latest_at timestamptz(3)`,
  ),
  'create index temp_encryption_keys_expires_at on temp_encryption_keys (expires_at)',
  lookup('temp_encryption_keys_by_folder', 'temp_encryption_keys (folder_id)'),
  ...table(
    'passphrase_tries',
    `
    id uuid primary key default gen_random_uuid(),
    folder_id uuid not null references folders(id) on delete cascade,
    tried_at timestamptz(3) not null,
    client text`,
  ),
  'create index passphrase_tries_folder on passphrase_tries (folder_id, tried_at)',
  'create index passphrase_tries_tried_at on passphrase_tries (tried_at)',
  ...table(
    'folder_grants',
    `
    token_hash text primary key,
    folder_id uuid not null references folders(id) on delete cascade,
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null`,
  ),
  'create index folder_grants_expires_at on folder_grants (expires_at)',
  'create index folder_grants_folder on folder_grants (folder_id)',
  ...table(
    'folder_guests',
    `
    folder_id uuid not null references folders(id) on delete cascade,
    holder_hash text not null,
    created_at timestamptz(3) not null default now(),
    primary key (folder_id, holder_hash)`,
  ),
  ...table(
    'folder_shares',
    `
    id uuid primary key default gen_random_uuid(),
    folder_id uuid not null references folders(id) on delete cascade,
    discord_id text,
    guild_id text,
    created_at timestamptz(3) not null default now()`,
  ),
  'create index folder_shares_folder on folder_shares (folder_id)',
  'create index folder_shares_discord_id on folder_shares (discord_id) where discord_id is not null',
];

const FILES: readonly string[] = [
  ...table(
    'files',
    `
    id uuid primary key default gen_random_uuid(),
    folder_id uuid not null references folders(id),
    name text not null,
    size_bytes bigint not null check (size_bytes >= 0),
    mimetype text not null,
    cache_control text not null,
    sealed text,
    blob_key uuid not null unique,
    still_key uuid,
    still_small_bytes integer,
    still_large_bytes integer,
    checksum bigint not null,
    still_checksum bigint,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()`,
  ),
  'create unique index files_folder_name on files (folder_id, name)',
  // Each order in which a folder's files are listed.
  'create index files_by_name on files (folder_id, name collate "C")',
  'create index files_by_creation on files (folder_id, created_at, name collate "C")',
  'create index files_by_update on files (folder_id, updated_at, name collate "C")',
  'create unique index files_still_key on files (still_key) where still_key is not null',
  ...table(
    'uploads',
    `
    id uuid primary key default gen_random_uuid(),
    folder_id uuid not null references folders(id),
    profile_id uuid not null,
    name text not null,
    mimetype text not null,
    cache_control text not null,
    sealed text,
    upsert boolean not null default false,
    metadata text not null,
    length_bytes bigint not null check (length_bytes > 0),
    offset_bytes bigint not null default 0 check (offset_bytes between 0 and length_bytes),
    checksum bigint not null default 0,
    blob_key uuid not null unique,
    lease_epoch integer not null default 0,
    completed_at timestamptz(3),
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null`,
  ),
  'create index uploads_folder on uploads (folder_id)',
  'create index uploads_expires_at on uploads (expires_at)',
  // Counted at the creation of each upload.
  'create index uploads_open on uploads (profile_id, id) where completed_at is null',
  ...table(
    'gone_uploads',
    'id uuid primary key, profile_id uuid not null, gone_at timestamptz(3) not null default now()',
  ),
  'create index gone_uploads_gone_at on gone_uploads (gone_at)',
  'create index gone_uploads_profile on gone_uploads (profile_id)',
  ...table(
    'blob_parts',
    'blob_key uuid not null, start_bytes bigint not null, name text not null, primary key (blob_key, start_bytes)',
  ),
  ...table(
    'blob_removals',
    `
    blob_key uuid primary key,
    queued_at timestamptz(3) not null default now(),
    attempts integer not null default 0,
    held_until timestamptz(3)`,
  ),
  'create index blob_removals_order on blob_removals (attempts, queued_at)',
];

const BOT: readonly string[] = [
  ...table(
    'upload_intents',
    `
    id uuid primary key default gen_random_uuid(),
    token_hash text unique,
    discord_id text not null,
    folder_name text,
    lifetime_hours double precision,
    link_mode text not null,
    folder_id uuid references folders(id) on delete cascade,
    reply_token text not null,
    language text not null,
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null,
    redeemed_at timestamptz(3),
    told_at timestamptz(3),
    telling_until timestamptz(3)`,
  ),
  'create index upload_intents_expires_at on upload_intents (expires_at)',
  'create index upload_intents_folder on upload_intents (folder_id)',
  'create index upload_intents_discord_id on upload_intents (discord_id)',
  ...table(
    'interactions',
    'id text primary key, sealed_answer text, received_at timestamptz(3) not null default now()',
  ),
  'create index interactions_received_at on interactions (received_at)',
];

const MODERATION: readonly string[] = [
  ...table(
    'reports',
    `
    id uuid primary key default gen_random_uuid(),
    slug text not null,
    reason text not null,
    note text,
    sealed_keys text not null default '[]',
    created_at timestamptz(3) not null default now(),
    closed_at timestamptz(3),
    outcome text`,
  ),
  'create index reports_slug on reports (slug)',
  'create index reports_open on reports (created_at, id) where closed_at is null',
  'create index reports_closed on reports (created_at, id) where closed_at is not null',
  'create index reports_closed_at on reports (closed_at) where closed_at is not null',
  ...table(
    'operator_keys',
    `
    id uuid primary key default gen_random_uuid(),
    discord_id text not null,
    public_key text not null,
    created_at timestamptz(3) not null default now()`,
  ),
  ...table(
    'bans',
    'discord_id text primary key, reason text not null, created_at timestamptz(3) not null default now()',
  ),
  'create index bans_order on bans (created_at, discord_id)',
  ...table(
    'denied_blobs',
    `
    sha256 text primary key,
    size_bytes bigint not null,
    reason text not null,
    created_at timestamptz(3) not null default now()`,
  ),
  'create index denied_blobs_size on denied_blobs (size_bytes)',
  'create index denied_blobs_order on denied_blobs (created_at, sha256)',
  ...table(
    'operator_acts',
    `
    id uuid primary key default gen_random_uuid(),
    at timestamptz(3) not null default now(),
    operator_discord_id text not null,
    act text not null,
    target text not null,
    detail text`,
  ),
  'create index operator_acts_order on operator_acts (at, id)',
];

/** Whose ids the rows have (`domain/issuer.ts`). */
const ISSUER = table(
  'discord_issuer',
  'id integer primary key check (id = 1), api_host text not null, client_id text not null',
);

/**
 * What people and operators take back: a restore of an older backup must not bring it back. Triggers note it, so that no
 * statement that deletes can forget to. What ends by its own time is not noted. The journal beside the key shares gets the rows.
 */
const TAKEN_BACK: readonly string[] = [
  'create sequence taken_back_id',
  ...table(
    'taken_back',
    `
    id bigint primary key default nextval('taken_back_id'),
    at timestamptz(3) not null default clock_timestamp(),
    kind text not null,
    ref text not null,
    detail jsonb`,
  ),
  ...TAKEN_BACK_TRIGGERS,
];

/** The new labels of a folder whose link is being changed. One stage may be given up for another, so a folder has a few. */
const STAGED_LABELS: readonly string[] = [
  ...table(
    'staged_labels',
    `
    folder_id uuid not null references folders(id) on delete cascade,
    stage_id uuid not null,
    name text not null,
    earlier text not null,
    sealed text,
    staged_at timestamptz(3) not null default now(),
    primary key (folder_id, stage_id, name, earlier)`,
  ),
  'create index staged_labels_staged_at on staged_labels (staged_at)',
];

/** Empty files, which a project's directories have. */
const EMPTY_FILES: readonly string[] = [
  `alter table uploads
    drop constraint uploads_length_bytes_check,
    add constraint uploads_length_bytes_check check (length_bytes >= 0)`,
];

/** What /share asks about a folder whose key the server lacks, and what the managers of a Discord server set. */
const CARDS_AND_RULES: readonly string[] = [
  'alter table upload_intents add column card jsonb',
  'alter table profiles add column copies_link boolean not null default false',
  ...table(
    'guild_settings',
    `
    guild_id text primary key,
    link_mode text check (link_mode in ('plain', 'private', 'discord')),
    lifetime_hours double precision,
    members_only boolean not null default false,
    channel_ids jsonb not null default '[]',
    log_webhook text`,
  ),
];

/** Command lines, which sign in as devices (RFC 8628). */
const DEVICES: readonly string[] = [
  `alter table sessions add column kind text not null default 'browser' check (kind in ('browser', 'device'))`,
  ...table(
    'device_codes',
    `
    id uuid primary key default gen_random_uuid(),
    device_code_hash text not null unique,
    user_code_hash text not null unique,
    client text not null,
    host text not null,
    network text not null,
    allowed_by uuid references sessions(id) on delete cascade,
    is_refused boolean not null default false,
    interval_seconds integer not null,
    polled_at timestamptz(3),
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null`,
    'unlogged table',
  ),
  'create index device_codes_expires_at on device_codes (expires_at)',
  'create index device_codes_allowed_by on device_codes (allowed_by) where allowed_by is not null',
];

/** In their order; a later version adds steps at the end. */
export const MIGRATIONS: readonly Migration[] = [
  { id: 1, statements: [...SITE, ...ACCOUNTS, ...FOLDERS, ...LINKS, ...FILES, ...BOT, ...MODERATION] },
  { id: 2, statements: ISSUER },
  { id: 3, statements: TAKEN_BACK },
  { id: 4, statements: STAGED_LABELS },
  { id: 5, statements: EMPTY_FILES },
  { id: 6, statements: CARDS_AND_RULES },
  { id: 7, statements: DEVICES },
];

/** The hash that a database stores of a step, to notice one that was edited after it was published. */
export const migrationHash = ({ statements }: Migration): string =>
  createHash('sha256').update(statements.join(';\n')).digest('hex');
