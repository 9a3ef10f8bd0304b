import { createHash } from 'node:crypto';
import { FIRST_MIGRATIONS } from './steps/first-migrations.ts';
import type { Migration } from './steps/migration.ts';
import { NODE_STATEMENTS } from './steps/node-statements.ts';
import { SITE_STATEMENTS } from './steps/site-statements.ts';

export const MIGRATIONS: readonly Migration[] = [
  ...FIRST_MIGRATIONS,
  {
    id: 10,
    name: 'index for open uploads of a person; slugs of deleted folders expire',
    statements: [
      'create index uploads_open on uploads (profile_id, id) where completed_at is null',
      'alter table slugs add column purge_at timestamptz(3)',
      `update slugs set purge_at = coalesce(slugs.expires_at, now()) + interval '30 days'
        where taken_down_reason is null
        and not exists (select from folders where folders.slug = slugs.slug and folders.deleted_at is null)`,
      'create index slugs_purge_at on slugs (purge_at)',
    ],
  },
  {
    id: 11,
    name: 'each order in which a folder’s files are listed has an index',
    statements: [
      'create index files_by_name on files (folder_id, name collate "C")',
      'create index files_by_creation on files (folder_id, created_at, name collate "C")',
      'create index files_by_update on files (folder_id, updated_at, name collate "C")',
    ],
  },
  {
    id: 12,
    name: 'a lease ends when another one is taken, not by time',
    statements: ['alter table uploads drop column lease_expires_at'],
  },
  {
    id: 13,
    name: 'indexes for sweeps and lists; reports lose their keys with the folder',
    statements: [
      'create index folders_deleted_at on folders (deleted_at) where deleted_at is not null',
      'create index folders_live_until on folders (expires_at) where deleted_at is null',
      'drop index folders_expires_at',
      'create index passphrase_tries_tried_at on passphrase_tries (tried_at)',
      'create index gone_uploads_profile on gone_uploads (profile_id)',
      'create index blob_removals_order on blob_removals (attempts, queued_at)',
      'drop index blob_removals_queued_at',
      'create index reports_open on reports (created_at, id) where closed_at is null',
      'create index reports_closed on reports (created_at, id) where closed_at is not null',
      'create index reports_closed_at on reports (closed_at) where closed_at is not null',
      'drop index reports_created_at',
      'create index operator_acts_order on operator_acts (at, id)',
      'drop index operator_acts_at',
      'create index bans_order on bans (created_at, discord_id)',
      'create index denied_blobs_order on denied_blobs (created_at, sha256)',
      `update reports set sealed_keys = '[]' where sealed_keys <> '[]'
        and not exists (select from folders where folders.slug = reports.slug and folders.deleted_at is null)`,
    ],
  },
  {
    id: 14,
    name: 'only the process that holds the site writes',
    statements: SITE_STATEMENTS,
  },
  {
    id: 15,
    name: 'index for the person whom an invitation names',
    statements: ['create index folder_shares_discord_id on folder_shares (discord_id) where discord_id is not null'],
  },
  {
    id: 16,
    name: 'files have stills',
    statements: [
      'alter table files add column still_key uuid',
      'alter table files add column still_small_bytes integer',
      'alter table files add column still_large_bytes integer',
      'create unique index files_still_key on files (still_key) where still_key is not null',
    ],
  },
  {
    id: 17,
    name: 'the last answer to who opens a folder of /upload',
    statements: [
      "alter table profiles add column upload_link_mode text check (upload_link_mode in ('plain', 'private', 'discord'))",
    ],
  },
  {
    id: 18,
    name: 'several nodes share a site',
    statements: NODE_STATEMENTS,
  },
  {
    id: 19,
    name: 'blobs consist of parts; those of before are one part, which has no row',
    statements: [
      'create table blob_parts (blob_key uuid not null, start_bytes bigint not null, name text not null, primary key (blob_key, start_bytes))',
      'create trigger require_site before insert or update or delete on blob_parts for each statement execute function require_site()',
    ],
  },
  {
    id: 20,
    name: 'what operators have switched off',
    statements: [
      'create table site_switches (name text primary key, is_off boolean not null)',
      'create trigger require_site before insert or update or delete on site_switches for each statement execute function require_site()',
    ],
  },
  {
    id: 21,
    name: 'checksums of stored bytes',
    statements: [
      'alter table uploads add column checksum bigint not null default 0',
      'alter table files add column checksum bigint not null',
      'alter table files add column still_checksum bigint',
    ],
  },
  {
    // Decision 034 says why beside the B-trees, which keep the columns unique, and why they are filled so sparsely.
    id: 22,
    name: 'what a page read looks up costs as many pages in a site of any size',
    statements: [
      'create index sessions_by_token on sessions using hash (token_hash) with (fillfactor = 40)',
      'create index sessions_by_id on sessions using hash (id) with (fillfactor = 40)',
      'create index profiles_by_id on profiles using hash (id) with (fillfactor = 40)',
      'create index folders_by_slug on folders using hash (slug) with (fillfactor = 40)',
      'create index folders_by_path on folders using hash (bucket_storage_path) with (fillfactor = 40)',
      'create index temp_encryption_keys_by_folder on temp_encryption_keys using hash (folder_id) with (fillfactor = 40)',
    ],
  },
];

/**
 * The hash that a database stores of a migration, to notice one that was edited after its release. The space between
 * the statements counts: the first migrations were one text, and databases store the hash of that text.
 */
export const migrationHash = ({ statements }: Migration): string =>
  createHash('sha256')
    .update(`\n      ${statements.join(';\n      ')};\n    `)
    .digest('hex');
