import type { ProfileExport } from '@satchel/contract/api';
import { Folder } from '@satchel/contract/entities';
import { and, asc, eq, gt, isNull } from 'drizzle-orm';
import type { Db } from '../platform/db.ts';
import { files, folder_visitors, folders, uploads } from '../platform/schema.ts';
import { toFolder, type Viewer } from './folders.ts';
import { profileById, toProfile } from './profiles.ts';
import { listSessions } from './sessions.ts';
import { invitationsOf, sharesOf } from './shares.ts';
import { intentsOf, type UploadIntent } from './upload-intents.ts';

/**
 * All that is stored about a person, as JSON, for themselves: nothing that opens anything, no key, token or hash. Read and
 * told in pages, since an account may hold more files than memory should.
 */

const PAGE = 500;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

type FileRow = typeof files.$inferSelect;
type UploadRow = typeof uploads.$inferSelect;

/** Every row of a table in pages, by an id that grows. */
async function* inPages<Row>(read: (after: string) => Promise<Row[]>, idOf: (row: Row) => string) {
  for (let after = BEFORE_ALL; ; ) {
    const rows = await read(after);
    yield* rows;
    const last = rows.at(-1);
    if (rows.length < PAGE || !last) return;
    after = idOf(last);
  }
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
  created_at: intent.created_at.toISOString(),
  expires_at: intent.expires_at.toISOString(),
});

const filesOf = (db: Db, folderId: string) =>
  inPages(
    (after) =>
      db
        .select()
        .from(files)
        .where(and(eq(files.folder_id, folderId), gt(files.id, after)))
        .orderBy(asc(files.id))
        .limit(PAGE),
    (file) => file.id,
  );

/** Those that have expired too, for as long as anything of them is stored. */
const foldersOf = (db: Db, { profile_id }: Viewer) =>
  inPages(
    (after) =>
      db
        .select()
        .from(folders)
        .where(and(eq(folders.owner_profile_id, profile_id), isNull(folders.deleted_at), gt(folders.id, after)))
        .orderBy(asc(folders.id))
        .limit(PAGE),
    (folder) => folder.id,
  );

const uploadsOf = (db: Db, { profile_id }: Viewer) =>
  inPages(
    (after) =>
      db
        .select()
        .from(uploads)
        .where(and(eq(uploads.profile_id, profile_id), isNull(uploads.completed_at), gt(uploads.id, after)))
        .orderBy(asc(uploads.id))
        .limit(PAGE),
    (upload) => upload.id,
  );

const visitsOf = (db: Db, { profile_id }: Viewer) =>
  inPages(
    (after) =>
      db
        .select({ visit: folder_visitors, slug: folders.slug })
        .from(folder_visitors)
        .innerJoin(folders, eq(folders.id, folder_visitors.folder_id))
        .where(and(eq(folder_visitors.profile_id, profile_id), gt(folder_visitors.folder_id, after)))
        .orderBy(asc(folder_visitors.folder_id))
        .limit(PAGE),
    ({ visit }) => visit.folder_id,
  );

/** A JSON array, piece by piece. */
async function* written<Item>(items: AsyncIterable<Item>, write: (item: Item) => AsyncIterable<string> | [string]) {
  let before = '[';
  for await (const item of items) {
    yield before;
    yield* write(item);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

async function* writtenFolder(db: Db, folder: typeof folders.$inferSelect) {
  // Through the schema, so that a column is told only where the contract has it.
  yield `${JSON.stringify(Folder.parse(toFolder(folder))).slice(0, -1)},"shares":`;
  const shares = await sharesOf(db, folder.id);
  yield JSON.stringify(shares.map(({ discord_id, guild_id, created_at }) => ({ discord_id, guild_id, created_at })));
  yield ',"files":';
  yield* written(filesOf(db, folder.id), (file) => [JSON.stringify(toFile(file))]);
  yield '}';
}

/**
 * The pieces of a ProfileExport.
 * @throws auth.required when the profile is gone
 */
export async function exportOwnData(db: Db, viewer: Viewer): Promise<AsyncIterable<string>> {
  const row = await profileById(db, viewer.profile_id);
  const profile: ProfileExport['profile'] = { ...toProfile(row), email: row.email };
  const sessions = (await listSessions(db, viewer)).map(({ id: _, ...session }) => session);
  const head = { exported_at: new Date().toISOString(), profile, sessions };

  async function* pieces() {
    yield `${JSON.stringify(head).slice(0, -1)},"folders":`;
    yield* written(foldersOf(db, viewer), (folder) => writtenFolder(db, folder));
    yield ',"uploads":';
    yield* written(uploadsOf(db, viewer), (upload) => [JSON.stringify(toUpload(upload))]);
    yield ',"activity":';
    yield* written(visitsOf(db, viewer), ({ visit, slug }) => {
      const { first_seen_at, last_seen_at, views, downloads } = visit;
      return [JSON.stringify({ folder_slug: slug, first_seen_at, last_seen_at, views, downloads })];
    });
    yield `,"upload_intents":${JSON.stringify((await intentsOf(db, row.discord_id)).map(toIntent))}`;
    yield `,"invitations":${JSON.stringify(await invitationsOf(db, row.discord_id))}`;
    yield '}\n';
  }
  return pieces();
}
