import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { endLink } from '../../domain/links/keys.ts';
import { deleteFolderRows } from '../../domain/removal/delete-folder.ts';
import { deleteProfileRow } from '../../domain/removal/delete-profile.ts';
import { rowsOf, type Tx } from '../../platform/database/db.ts';
import type { JournalStart, TakenBack } from '../../platform/keys/taken-back-journal.ts';
import { folders } from '../../platform/schema/folders.ts';
import type { Manifest } from './format.ts';

/**
 * Takes back again, in the rows of a restored backup, what people and operators took back after the backup was made. Rows go
 * as their owners' acts delete them; what bytes and sums make of it, the restore settles afterwards.
 */

/** How many rows of the backup were taken back again. */
export interface Replayed {
  accounts: number;
  sessions: number;
  folders: number;
  files: number;
  /** Links that were revoked, and links that were replaced. */
  links: number;
  /** Folders whose access, end or preview was changed. */
  settings: number;
  guests: number;
  invitations: number;
  bans: number;
  takedowns: number;
  denied_files: number;
  operator_keys: number;
}

export const LOST_JOURNAL: readonly string[] = [
  'the journal of what was taken back after this backup is lost: KEYS_DIR has none of this site from before the backup',
  'so all sessions end, all Discord links end, and every folder is restricted to its owner until the owner opens it in Settings',
  'accounts, folders and files that were deleted since are back, and bans, takedowns and denied files of that time are gone: look after them',
];

/** Whether entries may be missing: the journal is not there, is another site's, or was begun after the backup. */
export function isJournalLost({ start }: { start: JournalStart | null }, { site_id, made_at }: Manifest): boolean {
  return start === null || start.site_id !== site_id || new Date(start.began_at) > new Date(made_at);
}

/** Entries that one statement inserts. */
const BATCH = 1000;

async function loadEntries(tx: Tx, entries: readonly TakenBack[]): Promise<void> {
  await tx.execute(sql`
    create temporary table replayed (
      n bigint generated always as identity, at timestamptz, kind text, ref text, detail jsonb
    ) on commit drop`);
  for (let from = 0; from < entries.length; from += BATCH) {
    const some = JSON.stringify(entries.slice(from, from + BATCH));
    await tx.execute(sql`
      insert into replayed (at, kind, ref, detail)
      select at, kind, ref, detail from json_to_recordset(${some}::json) as e (at timestamptz, kind text, ref text, detail jsonb)`);
  }
  await tx.execute(sql`create index on replayed (kind, ref)`);
}

const refs = (kind: string): SQL => sql`(select ref from replayed where kind = ${kind}::text)`;
/** The newest entry of each ref: it says what was decided in the end. */
const newest = (kind: string): SQL =>
  sql`(select distinct on (ref) ref, at, detail from replayed where kind = ${kind}::text order by ref, n desc) as newest`;

const countOf = async (tx: Tx, statement: SQL): Promise<number> => rowsOf(await tx.execute(statement)).length;

/** The folders that `which` selects, as rows that are not deleted yet. */
const liveFolders = (tx: Tx, which: SQL) =>
  tx
    .select()
    .from(folders)
    .where(and(isNull(folders.deleted_at), which))
    .for('update');

async function deleteFolders(tx: Tx, which: SQL): Promise<number> {
  const found = await liveFolders(tx, which);
  for (const folder of found) await deleteFolderRows(tx, { ...folder, is_expired: false });
  return found.length;
}

async function deleteAccounts(tx: Tx): Promise<number> {
  const gone = rowsOf<{ id: string }>(
    await tx.execute(sql`select id from profiles where id::text in ${refs('account')}`),
  );
  for (const { id } of gone) {
    await deleteFolders(tx, sql`owner_profile_id = ${id}::uuid`);
    await deleteProfileRow(tx, id);
  }
  return gone.length;
}

async function endLinks(tx: Tx): Promise<number> {
  const revoked = await liveFolders(tx, sql`link_mode in ('private', 'discord') and id::text in ${refs('revoked')}`);
  for (const folder of revoked) await endLink(tx, folder);
  const replaced = await countOf(
    tx,
    // A backup may have the link that took this one's place: that link stays.
    sql`delete from temp_encryption_keys using replayed
      where kind = 'link' and folder_id::text = ref and created_at <= (detail->>'created_at')::timestamptz returning folder_id`,
  );
  return revoked.length + replaced;
}

/** A folder's end may only come nearer: a Discord link's key is sealed for the end that the backup has. */
async function changeSettings(tx: Tx): Promise<number> {
  const changed = rowsOf<{ id: string }>(
    await tx.execute(sql`
      update folders set
        access = detail->>'access',
        expires_at = least(expires_at, (detail->>'expires_at')::timestamptz),
        show_name_in_previews = show_name_in_previews and (detail->>'show_name_in_previews')::boolean
      from ${newest('settings')}
      where id::text = ref and deleted_at is null and (
        access <> detail->>'access' or expires_at > (detail->>'expires_at')::timestamptz
        or (show_name_in_previews and not (detail->>'show_name_in_previews')::boolean))
      returning id`),
  );
  await tx.execute(sql`
    update temp_encryption_keys set expires_at = folders.expires_at
    from folders where folders.id = folder_id and link_mode = 'private' and temp_encryption_keys.expires_at > folders.expires_at`);
  await tx.execute(sql`
    delete from temp_encryption_keys
    using folders where folders.id = folder_id and link_mode = 'discord' and temp_encryption_keys.expires_at > folders.expires_at`);
  return changed.length;
}

/** Bans that were lifted in the end are lifted. */
async function ban(tx: Tx): Promise<number> {
  await tx.execute(sql`delete from bans using ${newest('ban')} where discord_id = ref and detail is null`);
  return countOf(
    tx,
    sql`insert into bans (discord_id, reason, created_at)
      select ref, detail->>'reason', at from ${newest('ban')} where detail is not null
      on conflict (discord_id) do update set reason = excluded.reason where bans.reason <> excluded.reason returning discord_id`,
  );
}

async function denyFiles(tx: Tx): Promise<number> {
  await tx.execute(sql`delete from denied_blobs using ${newest('denied_file')} where sha256 = ref and detail is null`);
  return countOf(
    tx,
    sql`insert into denied_blobs (sha256, size_bytes, reason, created_at)
      select ref, (detail->>'size_bytes')::bigint, detail->>'reason', at from ${newest('denied_file')}
      where detail is not null on conflict (sha256) do nothing returning sha256`,
  );
}

/** The folder itself is among the deleted ones; its slug says why, also where the backup is older than the folder. */
async function takeDown(tx: Tx): Promise<number> {
  return countOf(
    tx,
    sql`insert into slugs (slug, taken_down_reason, restricted, folder_id, storage_path)
      select ref, detail->>'reason', (detail->>'restricted')::boolean, folders.id, folders.bucket_storage_path
      from ${newest('takedown')} left join folders on folders.slug = ref
      on conflict (slug) do update set
        taken_down_reason = excluded.taken_down_reason, restricted = excluded.restricted, expires_at = null,
        purge_at = null, folder_id = coalesce(excluded.folder_id, slugs.folder_id),
        storage_path = coalesce(excluded.storage_path, slugs.storage_path)
      where slugs.taken_down_reason is distinct from excluded.taken_down_reason returning slug`,
  );
}

/** @returns how many rows of each kind the backup would have brought back */
export async function replay(tx: Tx, entries: readonly TakenBack[]): Promise<Replayed> {
  await loadEntries(tx, entries);
  const accounts = await deleteAccounts(tx);
  return {
    accounts,
    sessions: await countOf(tx, sql`delete from sessions where id::text in ${refs('session')} returning id`),
    folders: await deleteFolders(tx, sql`id::text in ${refs('folder')}`),
    files: await countOf(tx, sql`delete from files where id::text in ${refs('file')} returning id`),
    links: await endLinks(tx),
    settings: await changeSettings(tx),
    guests: await countOf(
      tx,
      sql`delete from folder_guests using replayed
        where kind = 'guest' and folder_id || ' ' || holder_hash = ref and created_at <= at returning folder_id`,
    ),
    invitations: await countOf(tx, sql`delete from folder_shares where id::text in ${refs('invitation')} returning id`),
    bans: await ban(tx),
    takedowns: await takeDown(tx),
    denied_files: await denyFiles(tx),
    operator_keys: await countOf(
      tx,
      sql`delete from operator_keys where id::text in ${refs('operator_key')} returning id`,
    ),
  };
}

/** Without a journal, anything may have been closed since the backup: nothing opens. */
export async function closeEverything(tx: Tx): Promise<Pick<Replayed, 'sessions' | 'links' | 'settings'>> {
  const sessions = await countOf(tx, sql`delete from sessions returning id`);
  const links = await countOf(
    tx,
    sql`delete from temp_encryption_keys using folders
      where folders.id = folder_id and link_mode = 'discord' returning folder_id`,
  );
  await tx.execute(sql`delete from folder_guests`);
  await tx.execute(sql`delete from folder_shares`);
  const closed = await tx
    .update(folders)
    .set({ access: 'restricted' })
    .where(eq(folders.access, 'link'))
    .returning({ id: folders.id });
  return { sessions, links, settings: closed.length };
}

/** What the command says of it. */
export function linesOfReplay(replayed: Replayed): string[] {
  const some = Object.entries(replayed).filter(([, count]) => count > 0);
  if (some.length === 0) return ['nothing of it was taken back after the backup'];
  const counts = some.map(([what, count]) => `${count} ${what.replaceAll('_', ' ')}`).join(', ');
  return [`taken back after the backup, and again now: ${counts}`];
}
