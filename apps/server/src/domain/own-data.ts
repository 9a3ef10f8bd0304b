import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { ProfileExport } from '@satchel/contract/api';
import { Folder } from '@satchel/contract/entities';
import { and, asc, eq, gt, inArray, isNull, sql } from 'drizzle-orm';
import type { Queryable } from '../platform/database/db.ts';
import { files, uploads } from '../platform/schema/files.ts';
import { folder_visitors, folders } from '../platform/schema/folders.ts';
import { folder_shares } from '../platform/schema/links.ts';
import { type FolderRow, toFolder, type Viewer } from './access/find-folder.ts';
import { profileById, toProfile } from './accounts/profiles.ts';
import { listSessions } from './accounts/sessions.ts';
import { intentsOf, type UploadIntent } from './discord/upload-intents.ts';
import { type InvitationRow, invitationsOf } from './sharing/invitations.ts';

/**
 * Exports everything stored for a person as JSON, for themselves: without keys, tokens or hashes. Read and written in
 * pages, since an account may hold more files than fit into memory.
 */

/** Rows of one statement: few, so that other requests run in between. */
const PAGE = 200;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

type FileRow = typeof files.$inferSelect;
type UploadRow = typeof uploads.$inferSelect;

/** Reads all rows in pages, each after the last row of the one before. */
async function* inPages<Row>(read: (last: Row | undefined) => Promise<Row[]>) {
  let last: Row | undefined;
  do {
    const rows = await read(last);
    yield* rows;
    await yieldToEventLoop();
    last = rows.length < PAGE ? undefined : rows.at(-1);
  } while (last);
}

const toFile = (file: FileRow): ProfileExport['folders'][number]['files'][number] => ({
  name: file.name,
  size_bytes: file.size_bytes,
  mimetype: file.mimetype,
  cache_control: file.cache_control,
  sealed: file.sealed,
  created_at: file.created_at.toISOString(),
  updated_at: file.updated_at.toISOString(),
});

const toUpload = (upload: UploadRow): ProfileExport['uploads'][number] => ({
  folder_id: upload.folder_id,
  name: upload.name,
  mimetype: upload.mimetype,
  cache_control: upload.cache_control,
  sealed: upload.sealed,
  length_bytes: upload.length_bytes,
  offset_bytes: upload.offset_bytes,
  created_at: upload.created_at.toISOString(),
  expires_at: upload.expires_at.toISOString(),
});

const toIntent = (intent: UploadIntent): ProfileExport['upload_intents'][number] => ({
  folder_id: intent.folder_id,
  folder_name: intent.folder_name,
  lifetime_hours: intent.lifetime_hours,
  link_mode: intent.link_mode,
  card: intent.card,
  created_at: intent.created_at.toISOString(),
  expires_at: intent.expires_at.toISOString(),
});

/** The files of several folders, by folder. */
const filesOf = (db: Queryable, folderIds: readonly string[]) =>
  inPages<FileRow>((last) =>
    db
      .select()
      .from(files)
      .where(
        and(
          inArray(files.folder_id, [...folderIds]),
          last && sql`(${files.folder_id}, ${files.name} collate "C") > (${last.folder_id}::uuid, ${last.name}::text)`,
        ),
      )
      .orderBy(asc(files.folder_id), sql`${files.name} collate "C"`)
      .limit(PAGE),
  );

/** The invitations to several folders, by folder and then oldest first. */
const invitationsTo = (db: Queryable, folderIds: readonly string[]) =>
  inPages<InvitationRow>((last) => {
    const place =
      last && sql`(${last.folder_id}::uuid, ${last.created_at.toISOString()}::timestamptz, ${last.id}::uuid)`;
    const { folder_id, created_at, id } = folder_shares;
    return db
      .select()
      .from(folder_shares)
      .where(and(inArray(folder_id, [...folderIds]), place && sql`(${folder_id}, ${created_at}, ${id}) > ${place}`))
      .orderBy(asc(folder_id), asc(created_at), asc(id))
      .limit(PAGE);
  });

/** Includes expired folders, for as long as their rows exist. */
const foldersOf = (db: Queryable, { profile_id }: Viewer) =>
  inPages<FolderRow>((last) =>
    db
      .select()
      .from(folders)
      .where(
        and(
          eq(folders.owner_profile_id, profile_id),
          isNull(folders.deleted_at),
          gt(folders.id, last?.id ?? BEFORE_ALL),
        ),
      )
      .orderBy(asc(folders.id))
      .limit(PAGE),
  );

const uploadsOf = (db: Queryable, { profile_id }: Viewer) =>
  inPages<UploadRow>((last) =>
    db
      .select()
      .from(uploads)
      .where(
        and(eq(uploads.profile_id, profile_id), isNull(uploads.completed_at), gt(uploads.id, last?.id ?? BEFORE_ALL)),
      )
      .orderBy(asc(uploads.id))
      .limit(PAGE),
  );

const visitsOf = (db: Queryable, { profile_id }: Viewer) =>
  inPages<{ visit: typeof folder_visitors.$inferSelect; slug: string }>((last) =>
    db
      .select({ visit: folder_visitors, slug: folders.slug })
      .from(folder_visitors)
      .innerJoin(folders, eq(folders.id, folder_visitors.folder_id))
      .where(
        and(
          eq(folder_visitors.profile_id, profile_id),
          gt(folder_visitors.folder_id, last?.visit.folder_id ?? BEFORE_ALL),
        ),
      )
      .orderBy(asc(folder_visitors.folder_id))
      .limit(PAGE),
  );

/** Groups folders whose files together fit into one statement. */
async function* inGroups(all: AsyncIterable<FolderRow>): AsyncGenerator<FolderRow[]> {
  let group: FolderRow[] = [];
  let fileCount = 0;
  for await (const folder of all) {
    if (group.length === PAGE || (group.length > 0 && fileCount + folder.file_count > PAGE)) {
      yield group;
      group = [];
      fileCount = 0;
    }
    group.push(folder);
    fileCount += folder.file_count;
  }
  if (group.length > 0) yield group;
}

/** Splits rows that are sorted by folder. The caller asks for folders in the same order. */
function byFolder<Row extends { folder_id: string }>(
  rows: AsyncGenerator<Row>,
): (folderId: string) => AsyncIterable<Row> {
  let next: Promise<IteratorResult<Row>> | undefined;
  return async function* ofFolder(folderId) {
    for (;;) {
      next ??= rows.next();
      const { done, value } = await next;
      if (done || value.folder_id > folderId) return;
      next = undefined;
      if (value.folder_id === folderId) yield value;
    }
  };
}

/** Writes a JSON array item by item. */
async function* written<Item>(items: AsyncIterable<Item>, write: (item: Item) => object) {
  let before = '[';
  for await (const item of items) {
    yield before + JSON.stringify(write(item));
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

const toInvitation = ({ discord_id, guild_id, created_at }: InvitationRow) => ({ discord_id, guild_id, created_at });

/** Folders with their invitations and files, read in groups of folders, never all at once. */
async function* writtenFolders(db: Queryable, viewer: Viewer) {
  let before = '[';
  for await (const group of inGroups(foldersOf(db, viewer))) {
    const ids = group.map(({ id }) => id);
    const invitationsIn = byFolder(invitationsTo(db, ids));
    const filesIn = byFolder(filesOf(db, ids));
    for (const folder of group) {
      // Through the schema: only columns of the contract are exported.
      yield `${before}${JSON.stringify(Folder.parse(toFolder(folder))).slice(0, -1)},"shares":`;
      before = ',';
      yield* written(invitationsIn(folder.id), toInvitation);
      yield ',"files":';
      yield* written(filesIn(folder.id), toFile);
      yield '}';
    }
  }
  yield before === '[' ? '[]' : ']';
}

/**
 * Writes a ProfileExport in pieces.
 * @throws auth.required when the profile has been deleted
 */
export async function exportOwnData(db: Queryable, viewer: Viewer): Promise<AsyncIterable<string>> {
  const row = await profileById(db, viewer.profile_id);
  // Discord's addresses as stored, not this site's.
  const { email, avatar_url, banner_url, upload_link_mode, copies_link } = row;
  const profile: ProfileExport['profile'] = {
    ...toProfile(row),
    email,
    avatar_url,
    banner_url,
    upload_link_mode,
    copies_link,
  };
  const sessions = (await listSessions(db, viewer)).map(({ id: _, ...session }) => session);
  const head = { exported_at: new Date().toISOString(), profile, sessions };

  async function* pieces() {
    yield `${JSON.stringify(head).slice(0, -1)},"folders":`;
    yield* writtenFolders(db, viewer);
    yield ',"uploads":';
    yield* written(uploadsOf(db, viewer), toUpload);
    yield ',"activity":';
    yield* written(visitsOf(db, viewer), ({ visit, slug }) => {
      const { first_seen_at, last_seen_at, views, downloads } = visit;
      return { folder_slug: slug, first_seen_at, last_seen_at, views, downloads };
    });
    yield `,"upload_intents":${JSON.stringify((await intentsOf(db, row.discord_id)).map(toIntent))}`;
    yield `,"invitations":${JSON.stringify(await invitationsOf(db, row.discord_id))}`;
    yield '}\n';
  }
  return pieces();
}
