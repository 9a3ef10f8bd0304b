/**
 * The step of the schema that lets only the process write that has the site (decision 019). As it is in migrations.ts, it is
 * never edited. A table that is added later gets the same trigger in its own step: a test names one that has none.
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
 * The keys are those of `site-lock.ts`. A session that names no holder is not this server's: a person's, or that of a dump
 * that is restored. Writers share a lock that a new holder wants for itself, so that it waits for those of an older one. Who
 * tries for the site's own lock and gets it knows that nobody has the site.
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
