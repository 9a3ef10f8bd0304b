import { randomBytes } from 'node:crypto';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { CreateFolderOutput, FolderCompleteData } from '@satchel/contract/api';
import type { Folder, TempKeyInfo } from '@satchel/contract/entities';
import type { WireError } from '@satchel/contract/errors';
import { sql } from 'drizzle-orm';
import { describe, expect, test, vi } from 'vitest';
import { transactionsOf } from '../support/faults.ts';
import { DISCORD_KEY, newPassphrase, newPrivate, PRIVATE_KEY } from '../support/folders.ts';
import { createTus, expire, freshName, someBytes, sweepAll } from '../support/storage-kit.ts';
import { type Account, createTestApp } from '../support/test-app.ts';

const KEY = DISCORD_KEY.encryption_key;
const toDiscord = { encrypted_key: KEY };

const app = await createTestApp();
const mika = await app.signIn('mika');

describe('generate_temp_encryption_key', () => {
  const { query } = app;
  const create = async (link: object = PRIVATE_KEY) => {
    const { status, body } = await app.rpc<CreateFolderOutput>('create_folder_with_temp_key', link, mika);
    expect(status).toBe(201);
    return { folder: body.folder, path: pathOf(body.folder, body.temp_key_info?.api_token) };
  };
  const pathOf = (folder: Folder, token: string | undefined) => `/bot/${folder.slug}/${token}`;
  const generate = async (folder: Folder, link: object) => {
    const { status, body } = await app.rpc<TempKeyInfo>(
      'generate_temp_encryption_key',
      { folder_id: folder.id, ...link },
      mika,
    );
    expect(status, JSON.stringify(body)).toBe(201);
    return { key: body, path: pathOf(folder, body.api_token) };
  };
  const refusal = async (input: object, as?: Account) => {
    const { status, body } = await app.rpc<WireError>('generate_temp_encryption_key', input, as);
    return `${status} ${body.error.code}`;
  };
  const get = async (path: string) => {
    const response = await app.call('GET', path);
    return { status: response.status, body: (await response.json()) as unknown };
  };
  const prove = async (path: string, proof: string) => {
    const response = await app.call('POST', path, { body: { proof } });
    return { status: response.status, body: (await response.json()) as unknown };
  };
  const read = async (folder: Folder) =>
    (await app.rpc<FolderCompleteData>('get_folder_complete_data', { input_folder_slug: folder.slug })).body;
  const sharesOf = async (folder: Folder) =>
    (await app.deps.keyShares.list()).filter(({ folder_id }) => folder_id === folder.id);
  const NOT_FOUND = { status: 404, body: { success: false, error: 'Key not found' } };
  const FOUND = { status: 200, body: { success: true, encryption_key: KEY } };

  describe('earlier keys', () => {
    const hexKeys = (count: number) => Array.from({ length: count }, () => randomBytes(64).toString('hex'));

    test('of a Discord link come back beside its key, in their order, and are deleted with it', async () => {
      const [encryption_key, ...earlier_keys] = hexKeys(16);
      const { folder, path } = await create({ encryption_key, earlier_keys });
      expect(await get(path)).toEqual({ status: 200, body: { success: true, encryption_key, earlier_keys } });
      const hours = new Date(Date.now() + 2 * 3_600_000).toISOString();
      const input = { folder_id: folder.id, new_expires_at: hours };
      expect((await app.rpc('update_folder_settings', input, mika)).status).toBe(200);
      expect(await get(path)).toEqual({ status: 200, body: { success: true, encryption_key, earlier_keys } });
      const [newest, ...earlier] = hexKeys(3);
      const { path: next } = await generate(folder, { encrypted_key: newest, earlier_keys: earlier });
      expect(await get(path)).toEqual(NOT_FOUND);
      const body = { success: true, encryption_key: newest, earlier_keys: earlier };
      expect(await get(next)).toEqual({ status: 200, body });
      const alone = await generate(folder, { encrypted_key: newest, earlier_keys: [] });
      expect(await get(alone.path)).toEqual({ status: 200, body: { success: true, encryption_key: newest } });
    });
  });

  test.each([
    [95, 201],
    [12 + 3 + 16 * 64 + 16, 201],
    [12 + 3 + 16 * 64 + 17, 400],
    [94, 400],
  ])('a sealed key of %i bytes is answered with %i', async (bytes, status) => {
    const { folder } = await create();
    const link = { ...newPrivate(), sealed_key: randomBytes(bytes).toString('base64url') };
    const made = await app.rpc('generate_temp_encryption_key', { folder_id: folder.id, ...link }, mika);
    expect(made.status).toBe(status);
    expect((await app.rpc('create_folder_with_temp_key', link, mika)).status).toBe(status);
  });

  describe('switches', () => {
    test('from a private link to a Discord one: the share is deleted, the old token ends', async () => {
      const { folder, path } = await create();
      const made = await generate(folder, toDiscord);
      expect(made.key.expires_at <= folder.expires_at).toBe(true);
      expect(await sharesOf(folder)).toEqual([]);
      expect(await get(path)).toEqual(NOT_FOUND);
      expect(await get(made.path)).toEqual(FOUND);
      expect(await read(folder)).toMatchObject({
        folder_link_mode: 'discord',
        temp_key_api_token: made.key.api_token,
        temp_key_created_at: made.key.created_at,
        temp_key_passphrase: false,
      });
    });

    test('from a Discord link to a private one: the server has the key no longer', async () => {
      const { folder, path } = await create(DISCORD_KEY);
      const link = newPrivate();
      const made = await generate(folder, link);
      expect(await get(path)).toEqual(NOT_FOUND);
      expect(await get(made.path)).toEqual({ status: 200, body: { success: true, ...link, passphrase: false } });
      expect(
        await query(sql`select encrypted_key from temp_encryption_keys where folder_id = ${folder.id}::uuid`),
      ).toEqual([{ encrypted_key: link.sealed_key }]);
      expect(await sharesOf(folder)).toHaveLength(1);
      expect(await read(folder)).toMatchObject({ folder_link_mode: 'private', temp_key_expires_at: folder.expires_at });
    });

    test('from one private link to another: the first opens nothing any more', async () => {
      const { folder, path } = await create();
      const [before] = await sharesOf(folder);
      const link = newPrivate();
      const made = await generate(folder, link);
      expect(await get(path)).toEqual(NOT_FOUND);
      expect(await get(made.path)).toMatchObject({ body: link });
      const after = await sharesOf(folder);
      expect(after).toHaveLength(1);
      expect(after[0]?.share_id).not.toBe(before?.share_id);
      expect(await app.deps.keyShares.read(before!)).toBeNull();
    });

    test('an upload under way continues: the folder’s key is the same', async () => {
      const { folder } = await create();
      const tus = createTus(app, mika);
      const bytes = someBytes(20);
      const url = await tus.create({ folder, name: `${freshName()}.enc`, length: 20 });
      expect((await tus.patch(url, 0, bytes.subarray(0, 10))).status).toBe(204);
      await generate(folder, toDiscord);
      expect((await tus.patch(url, 10, bytes.subarray(10))).status).toBe(204);
    });

    test('a passphrase is set, changed and removed', async () => {
      const { folder } = await create();
      const [first, second] = [newPassphrase(), newPassphrase()];
      const one = await generate(folder, { ...newPrivate(), ...first.input });
      expect((await read(folder)).temp_key_passphrase).toBe(true);
      expect(await get(one.path)).toEqual({ status: 200, body: { success: true, passphrase: true } });
      expect((await prove(one.path, first.proof)).status).toBe(200);

      const two = await generate(folder, { ...newPrivate(), ...second.input });
      expect(await prove(one.path, first.proof)).toEqual(NOT_FOUND);
      expect(await prove(two.path, first.proof)).toMatchObject({ status: 403, body: { tries_left: 4 } });
      expect((await prove(two.path, second.proof)).status).toBe(200);

      const link = newPrivate();
      const three = await generate(folder, { ...link, passphrase: false });
      expect((await read(folder)).temp_key_passphrase).toBe(false);
      expect(await get(three.path)).toMatchObject({ body: { ...link, passphrase: false } });
      const four = await generate(folder, { ...newPrivate(), ...second.input });
      expect((await prove(four.path, second.proof)).status).toBe(200);
      const five = await generate(folder, toDiscord);
      expect(await get(five.path)).toEqual(FOUND);
      expect((await read(folder)).temp_key_passphrase).toBe(false);
    });
  });

  describe('how long', () => {
    const until = async (link: object) => {
      const { folder } = await create();
      const { key } = await generate(folder, link);
      return (Date.parse(key.expires_at) - Date.parse(key.created_at)) / 3_600_000;
    };

    test('a key lasts for the requested hours, and never longer than its folder', async () => {
      expect(await until({ ...toDiscord, expires_in_hours: 1.5 })).toBe(1.5);
      expect(await until({ ...newPrivate(), expires_in_hours: 2 })).toBe(2);
      for (const link of [toDiscord, newPrivate(), { ...newPrivate(), expires_in_hours: 1e300 }]) {
        const { folder } = await create();
        expect((await generate(folder, link)).key.expires_at).toBe(folder.expires_at);
      }
    });

    test('more than 24 hours of a readable key are refused', async () => {
      const { folder, path } = await create();
      const input = { folder_id: folder.id, ...toDiscord, expires_in_hours: 24.01 };
      expect(await refusal(input, mika)).toBe('400 key.lifetime');
      expect((await get(path)).status).toBe(200);
      expect(await refusal({ ...input, expires_in_hours: 0 }, mika)).toBe('400 request.invalid');
    });

    test('after those hours there is no key, even if the folder lives longer', async () => {
      const { folder } = await create();
      const passphrase = newPassphrase();
      const guarded = await generate(folder, { ...newPrivate(), ...passphrase.input, expires_in_hours: 1 });
      const end = () =>
        query(sql`update temp_encryption_keys set expires_at = now() where folder_id = ${folder.id}::uuid`);
      await end();
      expect(await get(guarded.path)).toEqual(NOT_FOUND);
      expect(await prove(guarded.path, passphrase.proof)).toEqual(NOT_FOUND);
      const open = await generate(folder, { ...newPrivate(), expires_in_hours: 1 });
      await end();
      expect(await get(open.path)).toEqual(NOT_FOUND);
      expect(await read(folder)).toMatchObject({ folder_link_mode: 'private', temp_key_api_token: null });
    });

    test('a folder that is extended extends its key up to the hours that it was given', async () => {
      const { folder } = await create({ ...PRIVATE_KEY, expires_in_hours: 1 });
      const { key, path } = await generate(folder, { ...newPrivate(), expires_in_hours: 5 });
      expect(key.expires_at).toBe(folder.expires_at);
      const new_expires_at = new Date(Date.parse(folder.created_at) + 20 * 3_600_000).toISOString();
      await app.rpc('update_folder_settings', { folder_id: folder.id, new_expires_at }, mika);
      const expected = new Date(Date.parse(key.created_at) + 5 * 3_600_000).toISOString();
      expect((await read(folder)).temp_key_expires_at).toBe(expected);
      expect((await get(path)).status).toBe(200);
    });
  });

  describe('refuses', () => {
    test('a revoked link stays revoked, a plain folder has no key, an expired one no longer has one', async () => {
      const [revoked, plain, expired] = [await create(), await create({}), await create()];
      await app.rpc('revoke_temp_encryption_key', { folder_id: revoked.folder.id }, mika);
      await expire(app, expired.folder);
      for (const link of [toDiscord, newPrivate()]) {
        expect(await refusal({ folder_id: revoked.folder.id, ...link }, mika)).toBe('409 folder.revoked');
        expect(await refusal({ folder_id: plain.folder.id, ...link }, mika)).toBe('409 folder.plain');
        expect(await refusal({ folder_id: expired.folder.id, ...link }, mika)).toBe('410 folder.expired');
      }
      for (const { folder } of [revoked, plain]) expect(await sharesOf(folder)).toEqual([]);
      expect((await read(revoked.folder)).folder_link_mode).toBe('revoked');
    });

    test.each([
      [{}, 'a new link needs encrypted_key, or sealed_key and key_share'],
      [{ encryption_key: KEY }, 'a new link needs encrypted_key'],
      [{ sealed_key: PRIVATE_KEY.sealed_key }, 'sealed_key and key_share belong together'],
      [{ key_share: PRIVATE_KEY.key_share }, 'sealed_key and key_share belong together'],
      [{ ...toDiscord, ...PRIVATE_KEY }, 'one link'],
      [{ ...toDiscord, ...newPassphrase().input }, 'only a private link'],
      [{ ...PRIVATE_KEY, passphrase: true }, 'passphrase and proof_hash belong together'],
      [{ ...PRIVATE_KEY, passphrase: false, proof_hash: PRIVATE_KEY.key_share }, 'belong together'],
      [{ encrypted_key: KEY.slice(1) }, 'Invalid key format. Expected 128 hex characters, got 127'],
      [{ encrypted_key: KEY.replace(/.{2}$/, 'zZ') }, 'Invalid key format. Expected 128 hex characters, got 126'],
      [{ ...PRIVATE_KEY, earlier_keys: [KEY] }, 'only a Discord link has earlier keys'],
      [{ ...toDiscord, earlier_keys: [KEY.slice(2)] }, 'Invalid key format. Expected 128 hex characters, got 126'],
      [{ ...toDiscord, earlier_keys: Array(16).fill(KEY) }, '15'],
    ])('%j makes no sense, and is refused in words', async (link, words) => {
      const { folder, path } = await create();
      const input = { folder_id: folder.id, ...link };
      const { status, body } = await app.rpc<WireError>('generate_temp_encryption_key', input, mika);
      expect(status).toBe(400);
      expect(body.error.message).toContain(words);
      expect((await get(path)).status).toBe(200);
    });
  });

  describe('at the same time', () => {
    test('of many calls exactly one key is left, and it opens the folder', async () => {
      const { folder, path } = await create();
      const links = Array.from({ length: 12 }, (_, index) => (index % 3 === 0 ? toDiscord : newPrivate()));
      const made = await Promise.all(links.map((link) => generate(folder, link)));
      const answers = await Promise.all(made.map((one) => get(one.path)));
      const usable = made.filter((_, index) => answers[index]?.status === 200);
      expect(usable).toHaveLength(1);
      expect(await get(path)).toEqual(NOT_FOUND);
      const { temp_key_api_token, folder_link_mode } = await read(folder);
      expect(temp_key_api_token).toBe(usable[0]?.key.api_token);
      expect(await sharesOf(folder)).toHaveLength(folder_link_mode === 'private' ? 1 : 0);
    });

    test('a revocation wins, and no share is left', async () => {
      for (let round = 0; round < 4; round += 1) {
        const { folder } = await create();
        const input = () => ({ folder_id: folder.id, ...newPrivate() });
        const calls = [0, 1, 2].map(() => app.rpc('generate_temp_encryption_key', input(), mika));
        const revoked = app.rpc('revoke_temp_encryption_key', { folder_id: folder.id }, mika);
        const later = [0, 1].map(() => app.rpc('generate_temp_encryption_key', input(), mika));
        const statuses = (await Promise.all([...calls, ...later])).map(({ status }) => status);
        expect((await revoked).status).toBe(204);
        expect(statuses.filter((status) => status !== 201 && status !== 409)).toEqual([]);
        expect((await read(folder)).folder_link_mode).toBe('revoked');
        expect(await sharesOf(folder)).toEqual([]);
      }
    });

    test('when the database fails, the old link still works, and the sweep purges the unused share', async () => {
      const { folder, path } = await create();
      const link = newPrivate();
      vi.spyOn(transactionsOf(app.database.db), 'transaction').mockRejectedValueOnce(new Error('the line was lost'));
      expect(await refusal({ folder_id: folder.id, ...link }, mika)).toBe('500 unexpected');
      vi.restoreAllMocks();
      expect((await get(path)).status).toBe(200);
      // Whether the database has committed is unknown, so the share stays.
      const shares = await sharesOf(folder);
      expect(shares).toHaveLength(2);
      const hourAgo = new Date(Date.now() - 3_600_000);
      for (const { folder_id, share_id } of shares) {
        await utimes(join(app.config.keysDir, folder_id.slice(0, 3), `${folder_id}.${share_id}`), hourAgo, hourAgo);
      }
      expect(await sweepAll(app)).toEqual([]);
      expect(await sharesOf(folder)).toHaveLength(1);
      expect((await get(path)).status).toBe(200);
    });

    test('when the old share can’t be deleted, the new link works, and the sweep purges the old share', async () => {
      const { folder } = await create();
      const [old] = await sharesOf(folder);
      vi.spyOn(app.deps.keyShares, 'delete').mockRejectedValueOnce(new Error('no disk'));
      const made = await generate(folder, newPrivate());
      vi.restoreAllMocks();
      expect((await get(made.path)).status).toBe(200);
      expect(await app.deps.keyShares.read(old!)).not.toBeNull();
      const hourAgo = new Date(Date.now() - 3_600_000);
      await utimes(join(app.config.keysDir, folder.id.slice(0, 3), `${folder.id}.${old?.share_id}`), hourAgo, hourAgo);
      expect(await sweepAll(app)).toEqual([]);
      expect(await app.deps.keyShares.read(old!)).toBeNull();
      expect((await get(made.path)).status).toBe(200);
    });
  });
});

describe('keys of links', () => {
  const create = async (input: object = PRIVATE_KEY) => {
    const { body } = await app.rpc<CreateFolderOutput>('create_folder_with_temp_key', input, mika);
    return { folder: body.folder, path: `/bot/${body.folder.slug}/${body.temp_key_info?.api_token}` };
  };
  const get = async (path: string) => {
    const response = await app.call('GET', path);
    return { status: response.status, headers: response.headers, body: (await response.json()) as unknown };
  };
  const foldersWithShares = async () => (await app.deps.keyShares.list()).map(({ folder_id }) => folder_id);
  const NOT_FOUND = { status: 404, body: { success: false, error: 'Key not found' } };

  test('a person with a folder’s token gets what opens a private link, and no cache stores it', async () => {
    const { path } = await create();
    const { status, headers, body } = await get(path);
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, ...PRIVATE_KEY, passphrase: false });
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('a wrong token, a wrong slug and a plain folder have no key', async () => {
    const { folder, path } = await create();
    const other = await create();
    const plain = await create({});
    const token = path.split('/').at(-1);
    const wrong = [
      `${path}x`,
      path.slice(0, -1),
      `/bot/${other.folder.slug}/${token}`,
      `/bot/${folder.slug}/%00`,
      `/bot/%00/${token}`,
      `/bot/${'x'.repeat(500)}/${token}`,
      plain.path,
    ];
    for (const bad of wrong) expect(await get(bad)).toMatchObject(NOT_FOUND);
    expect((await get(path)).status).toBe(200);
  });

  test('revoking deletes the share at once, and a second time does nothing', async () => {
    const { folder, path } = await create();
    expect(await foldersWithShares()).toContain(folder.id);
    const revoke = () => app.rpc('revoke_temp_encryption_key', { folder_id: folder.id }, mika);
    expect((await revoke()).status).toBe(204);
    expect(await foldersWithShares()).not.toContain(folder.id);
    expect(await get(path)).toMatchObject(NOT_FOUND);
    const { body } = await app.rpc('get_folder_complete_data', { input_folder_slug: folder.slug });
    expect(body).toMatchObject({ folder_link_mode: 'revoked', temp_key_api_token: null, temp_key_expires_at: null });
    expect((await revoke()).status).toBe(204);
  });

  test.each(['revoke_temp_encryption_key', 'delete_folder_complete'])(
    '%s deletes the share however the folder’s id is spelled',
    async (name) => {
      const { folder } = await create();
      expect((await app.rpc(name, { folder_id: folder.id.toUpperCase() }, mika)).status).toBe(204);
      expect(await foldersWithShares()).not.toContain(folder.id);
    },
  );

  test('a plain folder has nothing to revoke', async () => {
    const { folder } = await create({});
    expect((await app.rpc('revoke_temp_encryption_key', { folder_id: folder.id }, mika)).status).toBe(404);
  });

  test('a share that is missing from the disk is a key not found', async () => {
    const { folder, path } = await create();
    await app.deps.keyShares.deleteAll(folder.id);
    expect(await get(path)).toMatchObject(NOT_FOUND);
  });

  test('tokens and shares stay out of the log', async () => {
    const { path } = await create();
    await get(path);
    const log = app.log.join();
    expect(log).toContain('/bot/:slug/:api_token');
    for (const secret of [path, path.split('/').at(-1)!, ...Object.values(PRIVATE_KEY)])
      expect(log).not.toContain(secret);
  });
});
