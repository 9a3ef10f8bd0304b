import { createHash } from 'node:crypto';
import { ProfileExport } from '@satchel/contract/api';
import { type Folder, Profile } from '@satchel/contract/entities';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { discordIdOf } from '../../src/domain/accounts/profiles.ts';
import { inviteToFolder } from '../../src/domain/sharing/invitations.ts';
import type { LocalKeyShares } from '../../src/platform/keys/key-shares.ts';
import { PRIVATE_KEY } from '../support/folders.ts';
import {
  codeOf,
  createTus,
  expectExactSums,
  freshName,
  makeFolder,
  someBytes,
  storedBlobs,
  uploadState,
} from '../support/storage-kit.ts';
import { type Account, createTestApp } from '../support/test-app.ts';

const ME = '/rest/v1/profiles/me';
const EXPORT = `${ME}/export`;
const CONTENT = Buffer.from('content-canary '.repeat(500));

const app = await createTestApp();
const jonas = await app.signIn('jonas');

describe('a profile', () => {
  let mika: Account;
  let made = 0;
  beforeEach(async () => {
    mika = await app.signIn(`mika ${made++}`);
  });
  afterEach(() => erase(mika));

  const { query } = app;
  const visit = (folder: Folder, as: Account, kind = 'view') =>
    app.rpc('record_folder_event', { folder_slug: folder.slug, kind }, as);
  const erase = (as: Account) => app.call('DELETE', ME, { as });
  const statusOf = async (response: Promise<Response>) => (await response).status;

  async function createPrivate(as: Account): Promise<Folder> {
    const { body } = await app.rpc<{ folder: Folder }>('create_folder_with_temp_key', PRIVATE_KEY, as);
    return body.folder;
  }

  /** Uploads a file of that content over tus. */
  async function store(as: Account, folder: Folder, bytes = CONTENT): Promise<string> {
    const name = `${freshName()}.enc`;
    const tus = createTus(app, as);
    const url = await tus.create({ folder, name, length: bytes.length, metadata: { sealed: '2.label-of-mine' } });
    expect((await tus.patch(url, 0, new Uint8Array(bytes))).status).toBe(204);
    return name;
  }

  /** True if any table has any of these strings, except the rows that are on their way into the journal beside the keys. */
  async function isInDatabase(...canaries: readonly string[]): Promise<boolean> {
    const tables = await query<{ name: string }>(
      sql`select table_name as name from information_schema.tables where table_schema = 'public' and table_name <> 'taken_back'`,
    );
    let dump = '';
    for (const { name } of tables) dump += JSON.stringify(await query(sql`select * from ${sql.identifier(name)}`));
    return canaries.some((canary) => dump.includes(canary));
  }

  describe('exporting one’s data', () => {
    async function exported(as: Account): Promise<ProfileExport> {
      const response = await app.call('GET', EXPORT, { as });
      expect(response.status).toBe(200);
      return ProfileExport.parse(await response.json());
    }

    test('gives all stored data of the account, as a file to keep', async () => {
      await app.signIn(`mika ${made - 1}`);
      const folder = await createPrivate(mika);
      const name = await store(mika, folder);
      const tus = createTus(app, mika);
      const open = `${freshName()}.enc`;
      const url = await tus.create({ folder, name: open, length: 10 });
      await tus.patch(url, 0, someBytes(4));
      const others = await makeFolder(app, jonas);
      await visit(others, mika);
      await visit(others, mika, 'download');
      const { db } = app.database;
      await inviteToFolder(db, mika, folder.id, { discord_id: null, guild_id: '42' });
      await inviteToFolder(db, jonas, others.id, { discord_id: await discordIdOf(db, mika), guild_id: null });

      const response = await app.call('GET', EXPORT, { as: mika });
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(response.headers.get('content-disposition')).toMatch(
        /^attachment; filename="satchel-export-\d{4}-\d{2}-\d{2}\.json"$/,
      );
      expect(response.headers.get('cache-control')).toBe('no-store');
      const text = await response.text();
      const data = ProfileExport.parse(JSON.parse(text));
      // The contract names every field of it.
      expect(data).toEqual(JSON.parse(text));

      expect(data.profile).toMatchObject({ id: mika.profile_id, used_bytes: CONTENT.length, reserved_bytes: 10 });
      expect(data.profile.email).toContain('@example.org');
      expect(data.sessions).toHaveLength(2);
      expect(data.sessions.filter(({ is_this_one }) => is_this_one)).toHaveLength(1);
      // Including what is stored about a device.
      expect(data.sessions.every(({ label, last_seen_at }) => label !== undefined && last_seen_at)).toBe(true);
      expect(data.folders).toHaveLength(1);
      expect(data.folders[0]).toMatchObject({ slug: folder.slug, link_mode: 'private', file_count: 1 });
      expect(data.folders[0]!.files).toEqual([
        {
          name,
          size_bytes: CONTENT.length,
          mimetype: 'application/octet-stream',
          cache_control: '3600',
          sealed: '2.label-of-mine',
          created_at: expect.any(String),
          updated_at: expect.any(String),
        },
      ]);
      expect(data.uploads).toMatchObject([{ folder_id: folder.id, name: open, length_bytes: 10, offset_bytes: 4 }]);
      expect(data.activity).toMatchObject([{ folder_slug: others.slug, views: 1, downloads: 1 }]);
      expect(data.folders[0]!.shares).toMatchObject([{ discord_id: null, guild_id: '42' }]);
      expect(data.invitations).toMatchObject([{ folder_slug: others.slug, guild_id: null }]);
    });

    test('holds no key, token or hash, and nothing of other people', async () => {
      const folder = await createPrivate(mika);
      await store(mika, folder);
      await visit(folder, jonas);
      const tus = createTus(app, mika);
      const open = await uploadState(app, await tus.create({ folder, name: `${freshName()}.enc`, length: 10 }));
      const [key] = await query<{ api_token: string }>(
        sql`select api_token from temp_encryption_keys where folder_id = ${folder.id}::uuid`,
      );
      const [file] = await query<{ blob_key: string }>(
        sql`select blob_key from files where folder_id = ${folder.id}::uuid`,
      );
      const text = await (await app.call('GET', EXPORT, { as: mika })).text();
      const token = mika.cookie.split('=')[1]!;
      const secrets = [
        PRIVATE_KEY.sealed_key,
        PRIVATE_KEY.key_share,
        key!.api_token,
        file!.blob_key,
        open.blob_key,
        token,
        createHash('sha256').update(token).digest('hex'),
        mika.session_id,
        jonas.profile_id,
      ];
      for (const secret of secrets) expect(text).not.toContain(secret);
      expect(text).not.toMatch(/checksum|[0-9a-f]{64}/);
    });

    test('is complete however many files there are', async () => {
      const folder = await makeFolder(app, mika);
      await query(sql`
        insert into files (folder_id, name, size_bytes, mimetype, cache_control, blob_key, checksum)
        select ${folder.id}::uuid, 'file ' || n, 0, 'text/plain', '3600', gen_random_uuid(), 0
        from generate_series(1, 1203) n`);
      await query(sql`update folders set file_count = 1203 where id = ${folder.id}::uuid`);
      const { folders } = await exported(mika);
      expect(new Set(folders[0]!.files.map(({ name }) => name)).size).toBe(1203);
      expect(folders[0]!.files).toHaveLength(1203);
    });

    test('of a new account is empty where there is nothing', async () => {
      expect(await exported(mika)).toMatchObject({ folders: [], uploads: [], activity: [], upload_intents: [] });
    });
  });

  describe('deleting one’s account', () => {
    test('ends every session and bearer of it at once', async () => {
      const again = await app.signIn(`mika ${made - 1}`);
      expect(again.profile_id).toBe(mika.profile_id);
      const folder = await makeFolder(app, mika);
      const tus = createTus(app, again);
      const open = await tus.create({ folder, name: freshName(), length: 10 });
      expect((await erase(mika)).status).toBe(204);
      for (const as of [mika, again]) {
        expect(await statusOf(app.call('GET', ME, { as }))).toBe(401);
        expect(await statusOf(createTus(app, as).head(open))).toBe(401);
      }
      expect(await (await app.call('GET', '/auth/v1/session', { as: mika })).json()).toEqual({ session: null });
      expect((await erase(mika)).status).toBe(401);
    });

    test('signing in again begins a new account', async () => {
      await store(mika, await createPrivate(mika));
      await erase(mika);
      const fresh = await app.signIn(`mika ${made - 1}`);
      expect(fresh.profile_id).not.toBe(mika.profile_id);
      const profile = Profile.parse(await (await app.call('GET', ME, { as: fresh })).json());
      expect(profile).toMatchObject({ used_bytes: 0, reserved_bytes: 0 });
      expect(await (await app.call('GET', '/rest/v1/folders?owner=me', { as: fresh })).json()).toEqual([]);
    });

    test('wins against everything else at the same time', async () => {
      const folder = await makeFolder(app, mika);
      const tus = createTus(app, mika);
      const others = await makeFolder(app, jonas);
      const outcomes = await Promise.all([
        ...Array.from({ length: 8 }, () =>
          statusOf(app.call('POST', '/rest/v1/rpc/create_folder_with_temp_key', { as: mika, body: PRIVATE_KEY })),
        ),
        ...Array.from({ length: 4 }, () => statusOf(tus.post({ folder, name: freshName(), length: 10 }))),
        ...Array.from({ length: 4 }, () => statusOf(erase(mika))),
        ...Array.from({ length: 4 }, () =>
          statusOf(
            app.call('POST', '/rest/v1/rpc/record_folder_event', {
              as: mika,
              body: { folder_slug: others.slug, kind: 'view' },
            }),
          ),
        ),
        ...Array.from({ length: 4 }, () => statusOf(app.call('GET', EXPORT, { as: mika }))),
      ]);
      expect(outcomes.filter((status) => status >= 500)).toEqual([]);
      expect((await app.rpc('get_folder_analytics', { folder_slug: others.slug }, jonas)).status).toBe(200);
      expect(await isInDatabase(mika.profile_id)).toBe(false);
      expect(await storedBlobs(app)).toEqual([]);
      expect(await app.deps.keyShares.list()).toEqual([]);
      await expectExactSums(app);
    });

    test('that fails half-way leaves an account that can be deleted again', async () => {
      await createPrivate(mika);
      let isBroken = true;
      const failing: LocalKeyShares = {
        ...app.deps.keyShares,
        deleteAll: (id) => (isBroken ? Promise.reject(new Error('no disk')) : app.deps.keyShares.deleteAll(id)),
      };
      const other = await createTestApp({ deps: { database: app.database, keyShares: failing } });
      const eraseThere = () =>
        fetch(other.baseUrl + ME, {
          method: 'DELETE',
          headers: { cookie: mika.cookie, origin: other.config.publicUrl },
        });
      const refused = await eraseThere();
      expect(refused.status).toBe(500);
      expect(await codeOf(refused)).toBe('unexpected');
      expect(await statusOf(app.call('GET', ME, { as: mika }))).toBe(200);
      isBroken = false;
      expect((await eraseThere()).status).toBe(204);
      expect(await app.deps.keyShares.list()).toEqual([]);
      expect(await isInDatabase(mika.profile_id)).toBe(false);
    });
  });
});
