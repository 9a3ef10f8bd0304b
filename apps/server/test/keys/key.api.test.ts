import type { CreateFolderOutput } from '@satchel/contract/api';
import { describe, expect, test } from 'vitest';
import { PRIVATE_KEY } from '../support/folders.ts';
import { createTestApp } from '../support/test-app.ts';

const app = await createTestApp();
const mika = await app.signIn('mika');

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
