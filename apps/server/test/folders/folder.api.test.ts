import type { CreateFolderOutput, ExpiredFolder, FolderCompleteData } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import type { WireError } from '@satchel/contract/errors';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { DISCORD_KEY, hoursFromNow, PRIVATE_KEY } from '../support/folders.ts';
import { type Account, createTestApp } from '../support/test-app.ts';

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

const app = await createTestApp();
const mika = await app.signIn('mika');
const jonas = await app.signIn('jonas');

describe('folders', () => {
  const create = async (input: object = {}, as: Account = mika) => {
    const { status, body } = await app.rpc<CreateFolderOutput>('create_folder_with_temp_key', input, as);
    expect(status).toBe(201);
    return body;
  };
  const refusal = async (name: string, input: object, as?: Account) => {
    const { status, body } = await app.rpc<WireError>(name, input, as);
    return `${status} ${body.error.code}`;
  };
  const read = (slug: string, as?: Account) =>
    app.rpc<FolderCompleteData>('get_folder_complete_data', { input_folder_slug: slug }, as);
  const expire = (id: string) =>
    app.database.db.execute(
      sql`update folders set created_at = now() - interval '2 hours', expires_at = now() - interval '1 hour' where id = ${id}::uuid`,
    );

  describe('creating', () => {
    test('a plain folder: the server makes its slug and its storage path', async () => {
      const { folder, temp_key_info } = await create({ folder_name: ' Holiday ', folder_description: '' });
      expect(folder).toMatchObject({
        name: 'Holiday',
        description: null,
        bucket: 'unlocked-folders',
        link_mode: 'plain',
        access: 'link',
        hide_names: true,
        size_bytes: 0,
        file_count: 0,
        owner_profile_id: mika.profile_id,
      });
      expect(folder.slug).toMatch(/^[A-Za-z0-9]{16}$/);
      expect(folder.bucket_storage_path).not.toContain(folder.slug);
      expect(Date.parse(folder.expires_at) - Date.parse(folder.created_at)).toBe(24 * 3_600_000);
      expect(temp_key_info).toBeNull();
    });

    test('a private folder has a random token and a key that lives as long as it does', async () => {
      const { folder, temp_key_info } = await create({ ...PRIVATE_KEY, expires_in_hours: 1.5, hide_names: false });
      expect(folder).toMatchObject({ link_mode: 'private', hide_names: false });
      expect(Date.parse(folder.expires_at) - Date.parse(folder.created_at)).toBe(1.5 * 3_600_000);
      expect(temp_key_info?.api_token).toMatch(/^[\w-]{43}$/);
      expect(temp_key_info?.expires_at).toBe(folder.expires_at);
    });

    test('a given slug is taken once, also after its folder ended', async () => {
      const folder_slug = 'given-slug_0123456789';
      const { folder } = await create({ folder_slug });
      expect(folder.slug).toBe(folder_slug);
      expect(await refusal('create_folder_with_temp_key', { folder_slug }, mika)).toBe('409 folder.slug_taken');
      await app.rpc('delete_folder_complete', { folder_id: folder.id }, mika);
      expect(await refusal('create_folder_with_temp_key', { folder_slug }, jonas)).toBe('409 folder.slug_taken');
    });

    test.each([
      [{ owner_id: UNKNOWN_ID }, '403 folder.foreign_owner'],
      [{ bucket_name: 'files' }, '400 storage.bucket_not_found'],
      [{ expires_in_hours: 24.01 }, '400 folder.lifetime'],
      [{ expires_in_hours: 0 }, '400 request.invalid'],
      [{ folder_slug: 'short' }, '400 request.invalid'],
      [{ folder_slug: 'a slug with blanks' }, '400 request.invalid'],
      [{ folder_name: 'x'.repeat(81) }, '400 request.invalid'],
      [{ folder_name: 'a\0b' }, '400 request.invalid'],
      [{ sealed_key: PRIVATE_KEY.sealed_key }, '400 request.invalid'],
      [{ key_share: PRIVATE_KEY.key_share }, '400 request.invalid'],
      [{ ...PRIVATE_KEY, key_share: 'short' }, '400 request.invalid'],
      [{ encryption_key: 'ab'.repeat(63) }, '400 key.bad_length'],
      [{ encryption_key: 'AB'.repeat(64) }, '400 key.bad_length'],
      [{ encryption_key: '' }, '400 key.bad_length'],
    ])('%j is refused with %s', async (input, expected) => {
      expect(await refusal('create_folder_with_temp_key', input, mika)).toBe(expected);
    });

    test.each([
      [{ ...DISCORD_KEY, ...PRIVATE_KEY }, 'a folder has one link'],
      [{ ...DISCORD_KEY, key_share: PRIVATE_KEY.key_share }, 'sealed_key and key_share belong together'],
      [{ ...PRIVATE_KEY, passphrase: true }, 'passphrase and proof_hash belong together'],
      [{ ...PRIVATE_KEY, proof_hash: PRIVATE_KEY.key_share }, 'passphrase and proof_hash belong together'],
      [{ passphrase: true, proof_hash: PRIVATE_KEY.key_share }, 'only a private link'],
      [{ ...DISCORD_KEY, passphrase: true, proof_hash: PRIVATE_KEY.key_share }, 'only a private link'],
    ])('%j makes no sense, and is refused in words', async (input, words) => {
      const { status, body } = await app.rpc<WireError>('create_folder_with_temp_key', input, mika);
      expect(status).toBe(400);
      expect(body.error.message).toContain(words);
    });

    test.each(['Saturday\u200braid', '\u3164', 'a\u{e0061}', '\u202eraid'])(
      'a name or a description with invisible characters is refused: %j',
      async (text) => {
        for (const input of [{ folder_name: text }, { folder_description: text }]) {
          const { status, body } = await app.rpc<WireError>('create_folder_with_temp_key', input, mika);
          expect([status, body.error.message]).toEqual([400, expect.stringContaining('characters that can’t be seen')]);
        }
        const { folder } = await create({ folder_name: 'می‌خواهم 👩‍🚀', folder_description: 'अवन्‍' });
        const changes = { folder_id: folder.id, new_name: text };
        expect(await refusal('update_folder_settings', changes, mika)).toBe('400 request.invalid');
      },
    );

    test('a refusal does not repeat what was sent', async () => {
      const secret = 'hunter2-hunter2-hunter2';
      const { body } = await app.rpc('create_folder_with_temp_key', { ...PRIVATE_KEY, key_share: secret }, mika);
      expect(JSON.stringify(body)).not.toContain(secret);
      expect(app.log.join()).not.toContain(secret);
    });
  });

  describe('reading', () => {
    test('everyone sees a folder; its owner’s Discord id and tier are for the owner', async () => {
      const { folder, temp_key_info } = await create({ ...PRIVATE_KEY, folder_name: 'For all' });
      for (const as of [undefined, jonas]) {
        const { status, body } = await read(folder.slug, as);
        expect(status).toBe(200);
        expect(body).toMatchObject({
          folder_id: folder.id,
          folder_name: 'For all',
          folder_link_mode: 'private',
          folder_owner_profile_id: mika.profile_id,
          owner_discord_username: 'mika',
          owner_discord_id: null,
          owner_subscription_tier: null,
          temp_key_api_token: temp_key_info?.api_token,
        });
        expect(JSON.stringify(body)).not.toContain(PRIVATE_KEY.key_share);
        expect(JSON.stringify(body)).not.toContain(PRIVATE_KEY.sealed_key);
        expect(JSON.stringify(body)).not.toContain('mika@');
      }
      const { body } = await read(folder.slug, mika);
      expect(body.owner_discord_id).toMatch(/^\d+$/);
      expect(body.owner_subscription_tier).toBe('free');
    });

    test('comes with the database’s time', async () => {
      const { folder } = await create();
      const { body } = await read(folder.slug);
      expect(Math.abs(Date.parse(body.server_time) - Date.now())).toBeLessThan(60_000);
      expect(body.server_time >= body.folder_created_at).toBe(true);
    });

    test('an expired folder gives its slug and date, to its owner as to everyone', async () => {
      const { folder } = await create(PRIVATE_KEY);
      await expire(folder.id);
      for (const as of [undefined, mika]) {
        const { status, body } = await app.rpc<ExpiredFolder>(
          'get_folder_complete_data',
          { input_folder_slug: folder.slug },
          as,
        );
        expect(status).toBe(200);
        expect(Object.keys(body).sort()).toEqual(['folder_expires_at', 'folder_slug']);
      }
      expect((await app.call('GET', `/rest/v1/folders/${folder.slug}`)).status).toBe(410);
    });

    test.each(['nothing-has-this-slug', '', '..', 'a\0b', 'x'.repeat(129)])('%j is no folder', async (slug) => {
      const { status } = await read(slug);
      expect(status).toBe(slug.length > 128 ? 400 : 404);
      expect((await app.call('GET', `/rest/v1/folders/${encodeURIComponent(slug)}`)).status).toBeGreaterThan(399);
    });

    test('a call under another account’s id is refused', async () => {
      const { folder } = await create();
      const input = { input_folder_slug: folder.slug, requesting_user_id: mika.profile_id };
      expect(await refusal('get_folder_complete_data', input, jonas)).toBe('403 folder.forbidden');
      expect(await refusal('get_folder_complete_data', input)).toBe('403 folder.forbidden');
      expect((await app.rpc('get_folder_complete_data', input, mika)).status).toBe(200);
    });

    test('one’s folders come newest first, without the expired and the deleted', async () => {
      const lena = await app.signIn('lena');
      const made: Folder[] = [];
      for (const folder_name of ['first', 'expired', 'deleted', 'last']) {
        made.push((await create({ folder_name }, lena)).folder);
      }
      await expire(made[1]!.id);
      await app.rpc('delete_folder_complete', { folder_id: made[2]!.id }, lena);
      const listed = (await (await app.call('GET', '/rest/v1/folders?owner=me', { as: lena })).json()) as Folder[];
      expect(listed.map(({ name }) => name)).toEqual(['last', 'first']);
      expect((await app.call('GET', `/rest/v1/folders?owner=${lena.profile_id}`, { as: lena })).status).toBe(400);
    });

    test('one’s profile is one’s own', async () => {
      const profile = await (await app.call('GET', '/rest/v1/profiles/me', { as: jonas })).json();
      expect(profile).toMatchObject({ id: jonas.profile_id, discord_username: 'jonas', used_bytes: 0 });
    });
  });

  describe('changing', () => {
    test('changes what is given and keeps the rest', async () => {
      const { folder } = await create({ ...PRIVATE_KEY, folder_name: 'Old', folder_description: 'Kept' });
      const new_expires_at = hoursFromNow(2);
      const { status, body } = await app.rpc<{ folder: Folder }>(
        'update_folder_settings',
        { folder_id: folder.id, new_name: 'New', new_hide_names: false, new_expires_at },
        mika,
      );
      expect(status).toBe(200);
      expect(body.folder).toMatchObject({
        name: 'New',
        description: 'Kept',
        hide_names: false,
        expires_at: new_expires_at,
      });
      const data = (await read(folder.slug)).body;
      expect(data.temp_key_expires_at).toBe(new_expires_at);
      const cleared = await app.rpc<{ folder: Folder }>(
        'update_folder_settings',
        { folder_id: folder.id, new_description: null },
        mika,
      );
      expect(cleared.body.folder.description).toBeNull();
    });

    test('a folder made under a longer limit can still be renamed and shortened, but not lengthened', async () => {
      const { folder } = await create();
      const ends = new Date(Date.parse(folder.expires_at) + 24 * 3_600_000).toISOString();
      await app.database.db.execute(
        sql`update folders set expires_at = ${ends}::timestamptz where id = ${folder.id}::uuid`,
      );
      const change = (input: object) =>
        app.rpc<{ folder: Folder }>('update_folder_settings', { folder_id: folder.id, ...input }, mika);
      const renamed = await change({ new_name: 'Renamed' });
      expect(renamed.status).toBe(200);
      expect(renamed.body.folder).toMatchObject({ name: 'Renamed', expires_at: ends });
      expect((await change({ new_expires_at: hoursFromNow(48.5) })).status).toBe(400);
      expect((await change({ new_expires_at: hoursFromNow(30) })).status).toBe(200);
    });

    test('a date before the folder began, in any year, ends it', async () => {
      const { folder } = await create();
      const input = { folder_id: folder.id, new_expires_at: '0000-01-01T00:00:00Z' };
      expect((await app.rpc('update_folder_settings', input, mika)).status).toBe(200);
      expect((await read(folder.slug)).body).toEqual({
        folder_slug: folder.slug,
        folder_expires_at: folder.created_at,
      });
    });

    test('no date revives an expired folder', async () => {
      const { folder } = await create();
      const input = { folder_id: folder.id, new_expires_at: hoursFromNow(-0.001) };
      expect((await app.rpc('update_folder_settings', input, mika)).status).toBe(200);
      const revive = { folder_id: folder.id, new_expires_at: hoursFromNow(1) };
      expect(await refusal('update_folder_settings', revive, mika)).toBe('410 folder.expired');
    });
  });

  describe('who may do what', () => {
    test('only the owner deletes an expired folder', async () => {
      const { folder } = await create(PRIVATE_KEY);
      await expire(folder.id);
      const input = { folder_id: folder.id };
      expect(await refusal('delete_folder_complete', input, jonas)).toBe('403 folder.forbidden');
      expect((await app.rpc('delete_folder_complete', input, mika)).status).toBe(204);
      expect((await read(folder.slug)).body).toMatchObject({ folder_slug: folder.slug });
    });

    test('deleting under another account’s id is refused', async () => {
      const { folder } = await create();
      const input = { folder_id: folder.id, requesting_user_id: jonas.profile_id };
      expect(await refusal('delete_folder_complete', input, mika)).toBe('403 folder.forbidden');
    });

    test.each(['nonsense', ''])('there is no procedure %j', async (name) => {
      expect(await refusal(name, {}, mika)).toBe('404 request.not_found');
    });
  });
});
