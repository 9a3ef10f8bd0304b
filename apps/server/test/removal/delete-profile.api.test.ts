import { randomBytes, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CreateFolderOutput, FolderAnalytics } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { discordIdOf } from '../../src/domain/accounts/profiles.ts';
import { newIntent, saveIntent } from '../../src/domain/discord/upload-intents.ts';
import { inviteToFolder } from '../../src/domain/sharing/invitations.ts';
import { rowsOf } from '../../src/platform/database/db.ts';
import { newPassphrase } from '../support/folders.ts';
import {
  createTus,
  expectExactSums,
  expire,
  freshName,
  makeFolder,
  storedBlobs,
  sweepAll,
  upload,
} from '../support/storage-kit.ts';
import { TABLE_NAMES } from '../support/stored-state.ts';
import { type Account, createTestApp, type TestApp } from '../support/test-app.ts';

/** A deleted account leaves nothing: no row, file or name. */

const NAME = 'wilhelmina';
const NOTE = 'bytes-of-wilhelmina-that-nobody-else-has';

let app: TestApp;

async function textOfTables(): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const table of TABLE_NAMES) {
    const [row] = await app.query<{ text: string | null }>(
      sql`select json_agg(t)::text as text from ${sql.identifier(table)} t`,
    );
    texts.set(table, row?.text ?? '');
  }
  return texts;
}
async function textOfFiles(): Promise<Map<string, string>> {
  const entries = await readdir(app.config.dataDir, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(
    paths.map(async (path) => [path, `${path} ${await readFile(path, 'latin1')}`] as const),
  );
  return new Map(texts);
}
/** The tables that contain one of the words. */
const placesOf = (texts: ReadonlyMap<string, string>, words: readonly string[]) =>
  [...texts]
    .filter(([, text]) => words.some((word) => text.includes(word)))
    .map(([place]) => place)
    .sort();

/** Creates every trace that a person can leave, and returns the words to look for. */
async function leaveTraces(who: Account, other: Account): Promise<string[]> {
  const passphrase = newPassphrase();
  const share = randomBytes(32).toString('base64url');
  const link = { sealed_key: randomBytes(95).toString('base64url'), key_share: share, ...passphrase.input };
  const { body } = await app.rpc<CreateFolderOutput>(
    'create_folder_with_temp_key',
    { ...link, folder_name: NAME },
    who,
  );
  const sealed = body.folder;
  const wrong = { body: { proof: newPassphrase().proof } };
  expect((await app.call('POST', `/bot/${sealed.slug}/${body.temp_key_info?.api_token}`, wrong)).status).toBe(403);
  const folder = await makeFolder(app, who);
  const gone = await makeFolder(app, who);
  const late = await makeFolder(app, who);
  const tus = createTus(app, who);
  const bytes = Buffer.from(NOTE);
  const url = await upload(tus, folder, freshName(), bytes);
  const open = await tus.create({ folder, name: freshName(), length: 100 });
  expect((await tus.patch(open, 0, bytes)).status).toBe(204);
  const dropped = await tus.create({ folder: gone, name: freshName(), length: 10 });
  expect((await app.rpc('delete_folder_complete', { folder_id: gone.id }, who)).status).toBe(204);
  await expire(app, late);
  for (const slug of [folder.slug, (await makeFolder(app, other)).slug]) {
    expect((await app.rpc('record_folder_event', { folder_slug: slug, kind: 'view' }, who)).status).toBe(204);
    expect((await app.rpc('record_folder_event', { folder_slug: slug, kind: 'download' }, other)).status).toBe(204);
  }
  await app.rpc('get_folder_analytics', { folder_slug: folder.slug }, who);
  const { db } = app.database;
  const invitedTo = await makeFolder(app, other);
  await inviteToFolder(db, who, folder.id, { discord_id: 'named by them', guild_id: null });
  await inviteToFolder(db, other, invitedTo.id, { discord_id: await discordIdOf(db, who), guild_id: null });
  await db.execute(sql`insert into folder_guests (folder_id, holder_hash) values (${folder.id}::uuid, 'guest')`);
  await db.execute(
    sql`insert into folder_grants (token_hash, folder_id, expires_at) values ('grant', ${folder.id}::uuid, now())`,
  );
  await db.execute(sql`update sessions set label = ${NAME} where id = ${who.session_id}::uuid`);
  await db.execute(sql`insert into blob_removals (blob_key) values (${randomUUID()}::uuid)`);
  await db.execute(sql`insert into rate_counts values (${app.deps.tokens.hashForCounting(who.profile_id)}, 1, now())`);
  const uploads = [url, open, dropped].map((each) => each.split('/').at(-1)!);
  const folders = [sealed, folder, gone, late].flatMap(({ id, bucket_storage_path }) => [id, bucket_storage_path]);
  const discordId = (await discordIdOf(db, who))!;
  const wish = { folder_name: NAME, lifetime_hours: 1, link_mode: 'plain', language: 'en' } as const;
  const asked = { replyToken: 'token', received_at: new Date() };
  await saveIntent(db, newIntent(app.deps, { ...wish, discord_id: discordId }, asked).intent);
  const ids = [who.profile_id, who.session_id, discordId, 'named by them'];
  return [...ids, NAME, NOTE, share, ...uploads, ...folders, `"guest"`, `"grant"`];
}

describe('an account that is deleted', () => {
  test('leaves no trace of its person in any table or file', async () => {
    app = await createTestApp();
    const [who, other] = [await app.signIn(NAME), await app.signIn('jonas')];
    const words = await leaveTraces(who, other);
    // All words are found before.
    const seen = await textOfTables();
    expect(placesOf(seen, words)).toEqual(
      expect.arrayContaining([
        'folder_grants',
        'folder_guests',
        'folder_shares',
        'folder_visitors',
        'folders',
        'gone_uploads',
        'sessions',
        'upload_intents',
      ]),
    );
    expect(placesOf(seen, words)).toEqual(expect.arrayContaining(['passphrase_tries', 'profiles', 'uploads', 'files']));
    expect(placesOf(await textOfFiles(), words).length).toBeGreaterThan(2);

    const response = await app.call('DELETE', '/rest/v1/profiles/me', { as: who });
    expect(response.status).toBe(204);
    expect(response.headers.get('set-cookie')).toMatch(/^sid=; Max-Age=0|^sid=;.*Expires=Thu, 01 Jan 1970/i);
    expect([await storedBlobs(app), await app.deps.keyShares.list()]).toEqual([[], []]);
    expect(await sweepAll(app)).toEqual([]);

    const left = await textOfTables();
    expect(placesOf(left, words)).toEqual([]);
    const files = await textOfFiles();
    // A restore of an older backup deletes the account again by the ids in the journal (docs/deploy/backup-and-upgrade.md).
    const [journal, besides] = [true, false].map(
      (isJournal) => new Map([...files].filter(([path]) => path.includes('/taken-back/') === isJournal)),
    );
    expect(placesOf(besides!, words)).toEqual([]);
    expect(placesOf(journal!, [who.profile_id])).toHaveLength(1);
    const isId = (word: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(word);
    expect(
      placesOf(
        journal!,
        words.filter((word) => !isId(word)),
      ),
    ).toEqual([]);
    // Its counts for the limits are over; the other account's things still exist.
    expect(left.get('rate_counts')).toBe('');
    expect(left.get('blob_removals')).toBe('');
    expect(left.get('profiles')).toContain('jonas');
    const others = await app.call('GET', '/rest/v1/folders?owner=me', { as: other });
    const [{ slug } = { slug: '' }] = ((await others.json()) as Folder[]).toReversed();
    const { body } = await app.rpc<FolderAnalytics>('get_folder_analytics', { folder_slug: slug }, other);
    expect(body).toMatchObject({ total_views: 1, unique_visitors: 1, recent: [] });
    await expectExactSums(app);
    expect(app.log.join()).not.toContain(NAME);
  });

  test('leaves what must stay: a ban, the audit log, and slugs without an owner', async () => {
    app = await createTestApp();
    const who = await app.signIn(NAME);
    const folder = await makeFolder(app, who);
    const { db } = app.database;
    const [profile] = rowsOf<{ discord_id: string }>(await db.execute(sql`select discord_id from profiles`));
    const discordId = profile!.discord_id;
    await db.execute(
      sql`insert into operator_acts (operator_discord_id, act, target) values ('1', 'ban', ${discordId})`,
    );
    expect((await app.call('DELETE', '/rest/v1/profiles/me', { as: who })).status).toBe(204);
    // Coming back lifts no ban, so the ban outlives the account.
    await db.execute(sql`insert into bans (discord_id, reason) values (${discordId}, 'spam')`);
    const left = await textOfTables();
    expect(placesOf(left, [discordId])).toEqual(['bans', 'operator_acts', 'taken_back']);
    // A slug stays reserved for 30 days; the deleted account's folder and files do not exist any more.
    expect(placesOf(left, [folder.slug])).toEqual(['slugs']);
    expect(left.get('slugs')).not.toContain(folder.id);
  });
});
