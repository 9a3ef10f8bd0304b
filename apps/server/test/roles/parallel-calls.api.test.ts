import type { Folder } from '@satchel/contract/entities';
import { BUCKET } from '@satchel/contract/limits';
import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, test } from 'vitest';
import { folders } from '../../src/platform/schema/folders.ts';
import { PRIVATE_KEY } from '../support/folders.ts';
import {
  accountOf,
  createTus,
  expectExactSums,
  freshName,
  makeFolder,
  OBJECT,
  someBytes,
  upload,
} from '../support/storage-kit.ts';
import { type Account, createTestApp } from '../support/test-app.ts';

/** The same call many times at once, as from impatient people and retrying clients: it takes effect once. */

const TIMES = 20;
const BYTES = 1000;

const app = await createTestApp();
const mika = await app.signIn('mika');

describe(`the same call ${TIMES} times at once`, () => {
  afterEach(() => expectExactSums(app));

  const times = <Result>(call: () => Promise<Result>) => Promise.all(Array.from({ length: TIMES }, call));
  /** How often each status came. */
  async function statuses(call: () => Promise<{ status: number }>): Promise<Record<number, number>> {
    const counts: Record<number, number> = {};
    for (const { status } of await times(call)) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }
  const rpc = (name: string, body: unknown, as = mika) => statuses(() => app.rpc(name, body, as));
  const foldersOf = async ({ profile_id }: Account) =>
    app.database.db.select().from(folders).where(eq(folders.owner_profile_id, profile_id));

  async function withFile(as: Account): Promise<{ folder: Folder; path: string }> {
    const folder = await makeFolder(app, as);
    const tus = createTus(app, as);
    const name = freshName();
    await upload(tus, folder, name, someBytes(BYTES));
    return { folder, path: `${folder.bucket_storage_path}/${name}` };
  }

  test('a folder with a given slug is created once', async () => {
    const folder_slug = 'parallel_slug_0001';
    expect(await rpc('create_folder_with_temp_key', { folder_slug, ...PRIVATE_KEY })).toEqual({
      201: 1,
      409: TIMES - 1,
    });
    expect((await foldersOf(mika)).filter(({ slug }) => slug === folder_slug)).toHaveLength(1);
  });

  test('each call without a slug creates its own folder', async () => {
    const jonas = await app.signIn('jonas');
    expect(await rpc('create_folder_with_temp_key', {}, jonas)).toEqual({ 201: TIMES });
    expect(new Set((await foldersOf(jonas)).map(({ slug }) => slug)).size).toBe(TIMES);
  });

  test('settings are changed, and another change at the same time stays', async () => {
    const folder = await makeFolder(app, mika);
    const named = { folder_id: folder.id, new_name: 'Named' };
    const described = { folder_id: folder.id, new_description: 'Described' };
    const both = await Promise.all([rpc('update_folder_settings', named), rpc('update_folder_settings', described)]);
    expect(both).toEqual([{ 200: TIMES }, { 200: TIMES }]);
    const [row] = await app.database.db.select().from(folders).where(eq(folders.id, folder.id));
    expect(row).toMatchObject({ name: 'Named', description: 'Described' });
  });

  test('a file is deleted once, and its bytes are given back once', async () => {
    const { path } = await withFile(mika);
    const { used } = await accountOf(app, mika);
    const headers = { authorization: `Bearer ${mika.bearer}` };
    const remove = () => fetch(`${app.baseUrl}${OBJECT}/${BUCKET}/${path}`, { method: 'DELETE', headers });
    expect(await statuses(remove)).toEqual({ 200: 1, 404: TIMES - 1 });
    expect((await accountOf(app, mika)).used).toBe(used - BYTES);
  });

  test('uploads of one name are one file in the end', async () => {
    const folder = await makeFolder(app, mika);
    const tus = createTus(app, mika);
    const { used, reserved } = await accountOf(app, mika);
    const name = freshName();
    const upload = async () => {
      const begun = await tus.post({ folder, name, length: BYTES });
      const url = begun.headers.get('location');
      return url === null ? begun : tus.patch(url, 0, someBytes(BYTES));
    };
    // The second may already be refused at its creation.
    expect(await statuses(upload)).toEqual({ 204: 1, 409: TIMES - 1 });
    expect(await accountOf(app, mika)).toEqual({ used: used + BYTES, reserved });
  });

  test('an upload is ended once', async () => {
    const tus = createTus(app, mika);
    const { reserved } = await accountOf(app, mika);
    const url = await tus.create({ folder: await makeFolder(app, mika), name: freshName(), length: BYTES });
    expect(await statuses(() => tus.terminate(url))).toEqual({ 204: 1, 404: TIMES - 1 });
    expect((await accountOf(app, mika)).reserved).toBe(reserved);
  });

  test('a folder is deleted once, and its files’ bytes are given back once', async () => {
    const { folder } = await withFile(mika);
    const { used } = await accountOf(app, mika);
    expect(await rpc('delete_folder_complete', { folder_id: folder.id })).toEqual({ 204: 1, 404: TIMES - 1 });
    expect((await accountOf(app, mika)).used).toBe(used - BYTES);
  });

  test('a session is ended, and an account is deleted, with nothing left of it', async () => {
    const leaving = await app.signIn('leaving');
    expect(await statuses(() => app.call('POST', '/auth/v1/logout', { as: leaving }))).toEqual({ 204: TIMES });
    expect((await app.call('GET', '/auth/v1/user', { as: leaving })).status).toBe(401);
    const again = await app.signIn('leaving');
    await withFile(again);
    const erased = await statuses(() => app.call('DELETE', '/rest/v1/profiles/me', { as: again }));
    expect(Object.keys(erased).filter((status) => !['204', '401', '404'].includes(status))).toEqual([]);
    expect(erased[204]).toBeGreaterThan(0);
    expect((await foldersOf(again)).filter(({ deleted_at }) => deleted_at === null)).toEqual([]);
  });
});
