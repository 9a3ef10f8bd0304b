import type { CreateFolderOutput, FolderCompleteData } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import { sql } from 'drizzle-orm';
import { describe, expect, test, vi } from 'vitest';
import { createApp } from '../../src/app.ts';
import type { KeyedDeps } from '../../src/http/deps.ts';
import { createKeySealer } from '../../src/platform/keys/key-sealer.ts';
import { DISCORD_KEY, hoursFromNow } from '../support/folders.ts';
import { expire, sweepAll } from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';

const KEY = DISCORD_KEY.encryption_key;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

// Folders that outlive the server's time for a key.
const app = await createTestApp({ env: { FOLDER_LIFETIME_HOURS: '72' } });
const mika = await app.signIn('mika');

describe('a Discord link', () => {
  const { query } = app;
  const create = async (input: object = {}) => {
    const { status, body } = await app.rpc<CreateFolderOutput>(
      'create_folder_with_temp_key',
      { ...DISCORD_KEY, expires_in_hours: 24, ...input },
      mika,
    );
    expect(status).toBe(201);
    return { folder: body.folder, key: body.temp_key_info!, path: pathOf(body.folder, body.temp_key_info!.api_token) };
  };
  const pathOf = (folder: Folder, token: string) => `/bot/${folder.slug}/${token}`;
  const get = async (path: string) => {
    const response = await app.call('GET', path);
    return { status: response.status, headers: response.headers, body: (await response.json()) as unknown };
  };
  const read = async (folder: Folder) =>
    (await app.rpc<FolderCompleteData>('get_folder_complete_data', { input_folder_slug: folder.slug })).body;
  const change = (folder: Folder, input: object) =>
    app.rpc<{ folder: Folder }>('update_folder_settings', { folder_id: folder.id, ...input }, mika);
  const sealedOf = async (folder: Folder) =>
    (
      await query<{ encrypted_key: string }>(
        sql`select encrypted_key from temp_encryption_keys where folder_id = ${folder.id}::uuid`,
      )
    )[0]?.encrypted_key;
  const MOVED_SLUG = `moved${'x'.repeat(24)}`;
  const FOUND = { status: 200, body: { success: true, encryption_key: KEY } };
  const NOT_FOUND = { status: 404, body: { success: false, error: 'Key not found' } };

  test('the short link alone opens the folder: people with its token get the key, and no cache stores it', async () => {
    const { folder, key, path } = await create();
    expect(folder.link_mode).toBe('discord');
    expect(key.expires_at).toBe(folder.expires_at);
    const answer = await get(path);
    expect(answer).toMatchObject(FOUND);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await read(folder)).toMatchObject({
      folder_link_mode: 'discord',
      temp_key_api_token: key.api_token,
      temp_key_expires_at: key.expires_at,
      temp_key_passphrase: false,
    });
    expect(await app.deps.keyShares.list()).toEqual([]);
  });

  test('under another sealing secret there is no key, and the log says why', async () => {
    const { folder, path } = await create();
    const keySealer = createKeySealer(Buffer.from('another sealing secret, of an operator who lost the first'));
    const other = createApp({ ...app.deps, keySealer });
    const answer = await other.inject({ method: 'GET', url: path });
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toEqual(NOT_FOUND.body);
    expect(app.log.join()).toContain('KEY_SEALING_SECRET');
    // Its owner can still shorten its life; the key that can't be opened is then deleted.
    const shortened = await other.inject({
      method: 'POST',
      url: '/rest/v1/rpc/update_folder_settings',
      headers: { cookie: mika.cookie, origin: app.config.publicUrl },
      payload: { folder_id: folder.id, new_expires_at: hoursFromNow(1) },
    });
    expect(shortened.statusCode).toBe(200);
    expect(await sealedOf(folder)).toBeUndefined();
    expect(await get(path)).toMatchObject(NOT_FOUND);
    await other.close();
  });

  test('a person who writes to the database can neither move a sealed key nor extend its life', async () => {
    const [one, other] = [await create(), await create()];
    const move = sql`update temp_encryption_keys set encrypted_key = ${await sealedOf(one.folder)}`;
    await query(sql`${move} where folder_id = ${other.folder.id}::uuid`);
    expect(await get(other.path)).toMatchObject(NOT_FOUND);
    await query(
      sql`update temp_encryption_keys set expires_at = expires_at + interval '1 minute' where folder_id = ${one.folder.id}::uuid`,
    );
    expect(await get(one.path)).toMatchObject(NOT_FOUND);

    // The slug belongs to the folder: under another one, the folder's key stays closed, too.
    const { folder, path } = await create();
    await query(sql`insert into slugs (slug) values (${MOVED_SLUG})`);
    await query(sql`update folders set slug = ${MOVED_SLUG} where id = ${folder.id}::uuid`);
    expect(await get(path.replace(folder.slug, MOVED_SLUG))).toMatchObject(NOT_FOUND);
    await query(sql`update folders set slug = ${folder.slug} where id = ${folder.id}::uuid`);
    expect(await get(path)).toMatchObject(FOUND);
  });

  test('a change of the folder’s expiry seals the key again for its new end; any other change leaves it', async () => {
    const { folder, path } = await create();
    const sealed = await sealedOf(folder);
    const renamed = await change(folder, { new_name: 'New', new_description: 'Said', new_hide_names: false });
    expect(renamed.body.folder).toMatchObject({ name: 'New', description: 'Said', hide_names: false });
    expect(await sealedOf(folder)).toBe(sealed);

    const new_expires_at = hoursFromNow(2);
    expect((await change(folder, { new_expires_at })).status).toBe(200);
    expect(await sealedOf(folder)).not.toBe(sealed);
    expect(await read(folder)).toMatchObject({ temp_key_expires_at: new_expires_at, folder_link_mode: 'discord' });
    expect(await get(path)).toMatchObject(FOUND);
  });

  test('overtaken by another change while the key is being sealed, a change is repeated and the key stays intact', async () => {
    const { keySealer } = app.deps;
    const [first, second] = [await create(), await create()];
    let overtakes = 2;
    const overtake = async (folder: Folder) => {
      if (overtakes > 0) expect((await change(folder, { new_expires_at: hoursFromNow(overtakes--) })).status).toBe(200);
    };
    const busy: KeyedDeps['keySealer'] = {
      ...keySealer,
      async seal(key, target) {
        await overtake(second.folder);
        return keySealer.seal(key, target);
      },
      async reseal(sealed, target, expires_at) {
        await overtake(first.folder);
        return keySealer.reseal(sealed, target, expires_at);
      },
    };
    const slow = createApp({ ...app.deps, keySealer: busy });
    const headers = { cookie: mika.cookie, origin: app.config.publicUrl };
    const post = (name: string, payload: object) =>
      slow.inject({ method: 'POST', url: `/rest/v1/rpc/${name}`, headers, payload });

    const new_expires_at = hoursFromNow(3);
    expect((await post('update_folder_settings', { folder_id: first.folder.id, new_expires_at })).statusCode).toBe(200);
    expect(overtakes).toBe(0);
    expect(await read(first.folder)).toMatchObject({
      folder_expires_at: new_expires_at,
      temp_key_expires_at: new_expires_at,
    });
    expect(await get(first.path)).toMatchObject(FOUND);

    overtakes = 2;
    const made = await post('generate_temp_encryption_key', { folder_id: second.folder.id, encrypted_key: KEY });
    expect(made.statusCode).toBe(201);
    expect(overtakes).toBe(0);
    expect(await get(pathOf(second.folder, made.json<{ api_token: string }>().api_token))).toMatchObject(FOUND);

    // A change that is overtaken again and again is refused, and changes nothing.
    overtakes = 20;
    const refused = await post('update_folder_settings', {
      folder_id: first.folder.id,
      new_expires_at: hoursFromNow(1),
    });
    expect(refused.statusCode).toBe(503);
    expect(await get(first.path)).toMatchObject(FOUND);
    await slow.close();
  });

  test('the server keeps a key for 24 hours, however long the folder lives and is extended', async () => {
    const { folder, key, path } = await create({ expires_in_hours: 72 });
    const at = (hours: number) => new Date(Date.parse(folder.created_at) + hours * HOUR_MS).toISOString();
    expect(folder.expires_at).toBe(at(72));
    expect(key.expires_at).toBe(at(24));
    for (const [hours, keyHours] of [
      [12, 12],
      [48, 24],
      [20, 20],
      [72, 24],
    ] as const) {
      expect((await change(folder, { new_expires_at: at(hours) })).status).toBe(200);
      expect((await read(folder)).temp_key_expires_at).toBe(at(keyHours));
      expect(await get(path)).toMatchObject(FOUND);
    }
  });

  test('once it expires the key is deleted, while the folder lives on and can get a new one', async () => {
    const { folder, path } = await create({ expires_in_hours: 72 });
    await query(sql`update temp_encryption_keys set expires_at = now() where folder_id = ${folder.id}::uuid`);
    expect(await get(path)).toMatchObject(NOT_FOUND);
    expect(await read(folder)).toMatchObject({
      folder_link_mode: 'discord',
      temp_key_api_token: null,
      temp_key_expires_at: null,
      temp_key_passphrase: null,
    });
    expect(await sweepAll(app)).toEqual([]);
    expect(await sealedOf(folder)).toBeUndefined();

    const input = { folder_id: folder.id, encrypted_key: KEY };
    const made = await app.rpc<{ api_token: string }>('generate_temp_encryption_key', input, mika);
    expect(made.status).toBe(201);
    expect(await get(pathOf(folder, made.body.api_token))).toMatchObject(FOUND);
  });

  test('it expires by the database’s clock, not by this machine’s', async () => {
    const { folder, path } = await create({ expires_in_hours: 1 });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * DAY_MS });
    try {
      expect(await get(path)).toMatchObject(FOUND);
      const made = (await create({ expires_in_hours: 1 })).folder;
      expect(Date.parse(made.expires_at) - Date.parse(folder.expires_at)).toBeLessThan(DAY_MS);
      vi.setSystemTime(Date.now() - 4 * DAY_MS);
      await query(sql`update temp_encryption_keys set expires_at = now() where folder_id = ${folder.id}::uuid`);
      expect(await get(path)).toMatchObject(NOT_FOUND);
    } finally {
      vi.useRealTimers();
    }
  });

  test('it ends with its folder at that second, by revoking, and by deleting', async () => {
    const [expired, revoked, deleted] = [await create(), await create(), await create()];
    await expire(app, expired.folder);
    expect((await app.rpc('revoke_temp_encryption_key', { folder_id: revoked.folder.id }, mika)).status).toBe(204);
    expect((await app.rpc('delete_folder_complete', { folder_id: deleted.folder.id }, mika)).status).toBe(204);
    for (const { path } of [expired, revoked, deleted]) expect(await get(path)).toMatchObject(NOT_FOUND);
    expect(await sealedOf(revoked.folder)).toBeUndefined();
    expect(await sealedOf(deleted.folder)).toBeUndefined();
    expect(await read(revoked.folder)).toMatchObject({ folder_link_mode: 'revoked', temp_key_api_token: null });
  });
});
