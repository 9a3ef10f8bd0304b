import type { Migration } from './migration.ts';

/** The first migrations. As in migrations.ts, none is ever edited. */
export const FIRST_MIGRATIONS: readonly Migration[] = [
  {
    id: 1,
    name: 'profiles, sessions, folders, keys, files, uploads, removals',
    statements: [
      `create table profiles (
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
        used_bytes bigint not null default 0 check (used_bytes >= 0),
        reserved_bytes bigint not null default 0 check (reserved_bytes >= 0),
        created_at timestamptz(3) not null default now()
      )`,
      `create table sessions (
        id uuid primary key default gen_random_uuid(),
        token_hash text not null unique,
        profile_id uuid not null references profiles(id) on delete cascade,
        created_at timestamptz(3) not null default now(),
        expires_at timestamptz(3) not null
      )`,
      'create index sessions_profile_id on sessions (profile_id)',
      'create index sessions_expires_at on sessions (expires_at)',
      `create table slugs (
        slug text primary key,
        expires_at timestamptz(3)
      )`,
      `create table folders (
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
        deleted_at timestamptz(3)
      )`,
      'create index folders_owner on folders (owner_profile_id, created_at)',
      'create index folders_expires_at on folders (expires_at)',
      `create table temp_encryption_keys (
        folder_id uuid primary key references folders(id) on delete cascade,
        slug text not null,
        encrypted_key text not null,
        expires_at timestamptz(3) not null,
        owner_user_id uuid not null,
        api_token text not null,
        created_at timestamptz(3) not null default now()
      )`,
      `create table files (
        id uuid primary key default gen_random_uuid(),
        folder_id uuid not null references folders(id),
        name text not null,
        size_bytes bigint not null check (size_bytes >= 0),
        mimetype text not null,
        cache_control text not null,
        sealed text,
        blob_key uuid not null unique,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now()
      )`,
      'create unique index files_folder_name on files (folder_id, name)',
      `create table uploads (
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
        blob_key uuid not null unique,
        lease_epoch integer not null default 0,
        lease_expires_at timestamptz(3),
        completed_at timestamptz(3),
        created_at timestamptz(3) not null default now(),
        expires_at timestamptz(3) not null
      )`,
      'create index uploads_folder on uploads (folder_id)',
      'create index uploads_expires_at on uploads (expires_at)',
      `create table gone_uploads (
        id uuid primary key,
        profile_id uuid not null,
        gone_at timestamptz(3) not null default now()
      )`,
      'create index gone_uploads_gone_at on gone_uploads (gone_at)',
      `create table blob_removals (
        blob_key uuid primary key,
        queued_at timestamptz(3) not null default now(),
        attempts integer not null default 0
      )`,
      'create index blob_removals_queued_at on blob_removals (queued_at)',
    ],
  },
  {
    id: 2,
    name: 'Discord links, passphrases and their tries, replaced links',
    // Key shares from before are named by their folder alone: their id is that of the folder.
    statements: [
      'alter table temp_encryption_keys add column share_id uuid',
      'update temp_encryption_keys set share_id = folder_id',
      'alter table temp_encryption_keys add column proof_hash text',
      'alter table temp_encryption_keys add column latest_at timestamptz(3)',
      'create index temp_encryption_keys_expires_at on temp_encryption_keys (expires_at)',
      `create table passphrase_tries (
        id uuid primary key default gen_random_uuid(),
        folder_id uuid not null references folders(id) on delete cascade,
        tried_at timestamptz(3) not null
      )`,
      'create index passphrase_tries_folder on passphrase_tries (folder_id, tried_at)',
    ],
  },
  {
    id: 3,
    name: 'views, downloads and visitors of folders',
    statements: [
      `create table folder_activity (
        folder_id uuid not null references folders(id) on delete cascade,
        hour timestamptz(3) not null,
        views bigint not null default 0,
        downloads bigint not null default 0,
        visitors bigint not null default 0,
        primary key (folder_id, hour)
      )`,
      `create table folder_visitors (
        folder_id uuid not null references folders(id) on delete cascade,
        visitor text not null,
        profile_id uuid references profiles(id) on delete cascade,
        first_seen_at timestamptz(3) not null,
        last_seen_at timestamptz(3) not null,
        counted_at timestamptz(3),
        views bigint not null default 0,
        downloads bigint not null default 0,
        primary key (folder_id, visitor)
      )`,
      'create index folder_visitors_profile on folder_visitors (profile_id)',
      'create index folder_visitors_seen on folder_visitors (last_seen_at) where profile_id is null',
    ],
  },
  {
    id: 4,
    name: 'restricted folders, the list of sessions, reports and operators',
    statements: [
      'alter table sessions add column label text',
      'alter table sessions add column last_seen_at timestamptz(3) not null default now()',
      'update sessions set last_seen_at = created_at',
      'alter table slugs add column taken_down_reason text',
      `create table folder_grants (
        token_hash text primary key,
        folder_id uuid not null references folders(id) on delete cascade,
        created_at timestamptz(3) not null default now(),
        expires_at timestamptz(3) not null
      )`,
      'create index folder_grants_expires_at on folder_grants (expires_at)',
      'create index folder_grants_folder on folder_grants (folder_id)',
      `create table folder_guests (
        folder_id uuid not null references folders(id) on delete cascade,
        holder_hash text not null,
        created_at timestamptz(3) not null default now(),
        primary key (folder_id, holder_hash)
      )`,
      `create table reports (
        id uuid primary key default gen_random_uuid(),
        slug text not null,
        reason text not null,
        note text,
        sealed_keys text not null default '[]',
        created_at timestamptz(3) not null default now(),
        closed_at timestamptz(3),
        outcome text
      )`,
      'create index reports_created_at on reports (created_at)',
      'create index reports_slug on reports (slug)',
      `create table operator_keys (
        id uuid primary key default gen_random_uuid(),
        discord_id text not null,
        public_key text not null,
        created_at timestamptz(3) not null default now()
      )`,
      `create table bans (
        discord_id text primary key,
        reason text not null,
        created_at timestamptz(3) not null default now()
      )`,
      `create table denied_blobs (
        sha256 text primary key,
        size_bytes bigint not null,
        reason text not null,
        created_at timestamptz(3) not null default now()
      )`,
      'create index denied_blobs_size on denied_blobs (size_bytes)',
      `create table operator_acts (
        id uuid primary key default gen_random_uuid(),
        at timestamptz(3) not null default now(),
        operator_discord_id text not null,
        act text not null,
        target text not null,
        detail text
      )`,
      'create index operator_acts_at on operator_acts (at)',
    ],
  },
  {
    id: 5,
    name: 'blobs of a takedown are held until they are hashed',
    statements: ['alter table blob_removals add column held_until timestamptz(3)'],
  },
  {
    // Unlogged: counts of a minute are worth nothing after a crash, and stay out of the write-ahead log and its
    // backups.
    id: 6,
    name: 'rate limits count the calls of all nodes; wrong passphrases are also counted by client',
    statements: [
      `create unlogged table rate_counts (
        counter text primary key,
        count integer not null,
        ends_at timestamptz(3) not null
      )`,
      'create index rate_counts_ends_at on rate_counts (ends_at)',
      'alter table passphrase_tries add column client text',
    ],
  },
  {
    id: 7,
    name: 'the slug of an expired folder keeps its storage path and id',
    statements: [
      'alter table slugs add column folder_id uuid unique',
      'alter table slugs add column storage_path text unique',
      `update slugs set folder_id = folders.id, storage_path = folders.bucket_storage_path
        from folders where folders.slug = slugs.slug and slugs.expires_at is not null`,
    ],
  },
  {
    id: 8,
    name: 'only the owner of a restricted folder is told that it was taken down',
    statements: ['alter table slugs add column restricted boolean not null default false'],
  },
  {
    id: 9,
    name: 'tables of the Discord bot; plain folders may show their name in previews',
    statements: [
      'alter table folders add column show_name_in_previews boolean not null default false',
      `create table folder_shares (
        id uuid primary key default gen_random_uuid(),
        folder_id uuid not null references folders(id) on delete cascade,
        discord_id text,
        guild_id text,
        created_at timestamptz(3) not null default now()
      )`,
      'create index folder_shares_folder on folder_shares (folder_id)',
      `create table upload_intents (
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
        told_at timestamptz(3)
      )`,
      'create index upload_intents_expires_at on upload_intents (expires_at)',
      'create index upload_intents_folder on upload_intents (folder_id)',
      'create index upload_intents_discord_id on upload_intents (discord_id)',
      `create table interactions (
        id text primary key,
        sealed_answer text,
        received_at timestamptz(3) not null default now()
      )`,
      'create index interactions_received_at on interactions (received_at)',
    ],
  },
];
