/**
 * The migration that lets only the process write that holds the site (decision 019). As in migrations.ts, it is never
 * edited. A table that is added later gets the same trigger in its own migration: a test names tables without one.
 */

const FENCED = [
  'profiles',
  'sessions',
  'slugs',
  'folders',
  'temp_encryption_keys',
  'files',
  'uploads',
  'gone_uploads',
  'blob_removals',
  'passphrase_tries',
  'folder_activity',
  'folder_visitors',
  'folder_grants',
  'folder_guests',
  'reports',
  'operator_keys',
  'bans',
  'denied_blobs',
  'operator_acts',
  'rate_counts',
  'folder_shares',
  'upload_intents',
  'interactions',
];

/**
 * The lock keys are those of `site-lock.ts`. A session that names no holder is not one of this server: a person's, or a
 * restore. Writers take a lock in shared mode that a new holder takes exclusively, so that it waits for the writers of
 * the old one. A writer that gets the site's own lock knows that no process holds the site.
 */
export const SITE_STATEMENTS: readonly string[] = [
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
  ...FENCED.map(
    (table) =>
      `create trigger require_site before insert or update or delete on ${table} for each statement execute function require_site()`,
  ),
];
