/** The triggers of step 3 of the migrations. Their text is part of its hash: change nothing here, add a step. */

/**
 * Notes rows that a statement takes back in `taken_back`.
 * @param rows of the transition table `gone`, as kind, ref and detail
 */
const notesDeleted = (name: string, rows: string): readonly string[] => [
  `create function note_deleted_${name}() returns trigger language plpgsql as $$
  begin
    insert into taken_back (kind, ref, detail) ${rows};
    return null;
  end $$`,
  `create trigger note_deleted after delete on ${name}
    referencing old table as gone for each statement execute function note_deleted_${name}()`,
];

/** @param change which columns, and when: what a trigger with a list of columns can be told */
const notesChanged = (name: string, kind: string, change: string, ref: string, detail = 'null'): readonly string[] => [
  `create function note_${kind}() returns trigger language plpgsql as $$
  begin
    insert into taken_back (kind, ref, detail) values ('${kind}', ${ref}, ${detail});
    return null;
  end $$`,
  `create trigger note_${kind} after ${change.replace(' when ', ` on ${name} for each row when `)} execute function note_${kind}()`,
];

/** Rows that are deleted with their folder need no note. */
const IN_LIVE_FOLDER =
  'from gone join folders on folders.id = gone.folder_id where folders.deleted_at is null and folders.expires_at > now()';

/** They note what people and operators take back, in the table `taken_back`. */
export const TAKEN_BACK_TRIGGERS: readonly string[] = [
  ...notesDeleted('sessions', `select 'session', id::text, null from gone where expires_at > now()`),
  ...notesDeleted('files', `select 'file', gone.id::text, null ${IN_LIVE_FOLDER}`),
  ...notesDeleted('folder_guests', `select 'guest', gone.folder_id || ' ' || holder_hash, null ${IN_LIVE_FOLDER}`),
  ...notesDeleted('folder_shares', `select 'invitation', gone.id::text, null ${IN_LIVE_FOLDER}`),
  ...notesDeleted(
    'temp_encryption_keys',
    `select 'link', folder_id::text, jsonb_build_object('created_at', gone.created_at) ${IN_LIVE_FOLDER}
      and gone.expires_at > now()`,
  ),
  ...notesDeleted('profiles', `select 'account', id::text, null from gone`),
  ...notesDeleted('operator_keys', `select 'operator_key', id::text, null from gone`),
  ...notesDeleted('bans', `select 'ban', discord_id, null from gone`),
  ...notesDeleted('denied_blobs', `select 'denied_file', sha256, null from gone`),
  ...notesChanged(
    'temp_encryption_keys',
    'link',
    'update of api_token when (old.api_token <> new.api_token)',
    'old.folder_id::text',
    `jsonb_build_object('created_at', old.created_at)`,
  ),
  ...notesChanged(
    'folders',
    'folder',
    'update of deleted_at when (old.deleted_at is null and new.deleted_at is not null and old.expires_at > now())',
    'old.id::text',
  ),
  ...notesChanged(
    'folders',
    'revoked',
    `update of link_mode when (old.link_mode <> 'revoked' and new.link_mode = 'revoked')`,
    'old.id::text',
  ),
  ...notesChanged(
    'folders',
    'settings',
    `update of access, expires_at, show_name_in_previews when (
      (old.access, old.expires_at, old.show_name_in_previews) <> (new.access, new.expires_at, new.show_name_in_previews))`,
    'old.id::text',
    `jsonb_build_object('access', new.access, 'expires_at', new.expires_at,
      'show_name_in_previews', new.show_name_in_previews)`,
  ),
  ...notesChanged(
    'slugs',
    'takedown',
    'update of taken_down_reason when (new.taken_down_reason is not null)',
    'old.slug',
    `jsonb_build_object('reason', new.taken_down_reason, 'restricted', new.restricted)`,
  ),
  ...notesChanged(
    'bans',
    'ban',
    'insert or update of reason when (true)',
    'new.discord_id',
    `jsonb_build_object('reason', new.reason)`,
  ),
  ...notesChanged(
    'denied_blobs',
    'denied_file',
    'insert or update of reason, size_bytes when (true)',
    'new.sha256',
    `jsonb_build_object('reason', new.reason, 'size_bytes', new.size_bytes)`,
  ),
];
