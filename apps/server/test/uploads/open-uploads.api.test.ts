import type { OpenUploadList } from '@satchel/contract/open-uploads';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { createTus, deleteFolder, expire, freshName, makeFolder, someBytes } from '../support/storage-kit.ts';
import { type Account, createTestApp } from '../support/test-app.ts';

const app = await createTestApp();

const PATH = '/rest/v1/uploads?owner=me';
describe('one’s own open uploads', () => {
  let counter = 0;

  const newPerson = async () => {
    const account = await app.signIn(`person ${counter++}`);
    return { account, tus: createTus(app, account) };
  };
  const listOf = async (as: Account) => {
    const response = await app.call('GET', PATH, { as });
    expect(response.status).toBe(200);
    return (await response.json()) as OpenUploadList;
  };
  const idOf = (url: string) => url.split('/').at(-1)!;

  test('show length, offset, time and folder, the newest first, and no file names', async () => {
    const { account, tus } = await newPerson();
    const made = await app.rpc<{ folder: Parameters<typeof deleteFolder>[2] }>(
      'create_folder_with_temp_key',
      { folder_name: 'Holiday' },
      account,
    );
    const { folder } = made.body;
    const nameless = await makeFolder(app, account, 'private');
    const first = await tus.create({ folder, name: freshName(), length: 100 });
    expect((await tus.patch(first, 0, someBytes(60))).status).toBe(204);
    const second = await tus.create({ folder: nameless, name: `${freshName()}.enc`, length: 5 });
    const listed = await listOf(account);
    expect(listed).toEqual([
      {
        id: idOf(second),
        folder_id: nameless.id,
        folder_slug: nameless.slug,
        folder_name: null,
        length_bytes: 5,
        offset_bytes: 0,
        created_at: expect.any(String),
        expires_at: nameless.expires_at,
      },
      {
        id: idOf(first),
        folder_id: folder.id,
        folder_slug: folder.slug,
        folder_name: 'Holiday',
        length_bytes: 100,
        offset_bytes: 60,
        created_at: expect.any(String),
        expires_at: folder.expires_at,
      },
    ]);
  });

  test('are those that may still become files, of this account only', async () => {
    const { account, tus } = await newPerson();
    const other = await newPerson();
    const folder = await makeFolder(app, account);
    const begin = (into = folder) => tus.create({ folder: into, name: freshName(), length: 5 });
    const kept = await begin();
    await other.tus.create({ folder: await makeFolder(app, other.account), name: freshName(), length: 5 });
    expect((await tus.patch(await begin(), 0, someBytes(5))).status).toBe(204);
    expect((await tus.terminate(await begin())).status).toBe(204);
    const late = await begin();
    await app.database.db.execute(
      sql`update uploads set expires_at = clock_timestamp() - interval '1 second' where id = ${idOf(late)}::uuid`,
    );
    const [deleted, expired] = [await makeFolder(app, account), await makeFolder(app, account)];
    await begin(deleted);
    await deleteFolder(app, account, deleted);
    await begin(expired);
    await expire(app, expired);
    expect((await listOf(account)).map(({ id }) => id)).toEqual([idOf(kept)]);
  });

  test('are cancelled by the address of their id, which gives their space back', async () => {
    const { account, tus } = await newPerson();
    const folder = await makeFolder(app, account);
    await tus.create({ folder, name: freshName(), length: 1000 });
    const [upload] = await listOf(account);
    // As a page does that lost its record and never knew the address.
    expect((await tus.terminate(`${app.baseUrl}/storage/v1/upload/resumable/${upload!.id}`)).status).toBe(204);
    expect(await listOf(account)).toEqual([]);
    const profile = await (await app.call('GET', '/rest/v1/profiles/me', { as: account })).json();
    expect(profile).toMatchObject({ used_bytes: 0, reserved_bytes: 0 });
  });

  test('are requested as one’s own, signed in', async () => {
    const { account } = await newPerson();
    expect((await app.call('GET', PATH)).status).toBe(401);
    for (const query of ['', '?owner=', `?owner=${account.profile_id}`]) {
      expect((await app.call('GET', `/rest/v1/uploads${query}`, { as: account })).status).toBe(400);
    }
  });
});
