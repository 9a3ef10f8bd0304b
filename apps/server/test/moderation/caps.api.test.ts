import type { Folder } from '@satchel/contract/entities';
import { sql } from 'drizzle-orm';
import { afterEach, describe, expect, test } from 'vitest';
import {
  codeOf,
  createOwners,
  deleteFolder,
  expectExactSums,
  expire,
  freshName,
  makeFolder,
  OBJECT,
  someBytes,
  type Tus,
  upload,
} from '../support/storage-kit.ts';
import { type Account, createTestApp } from '../support/test-app.ts';

const OPEN_FOLDERS = 10;
const FOLDER_FILES = 20;
const OPEN_UPLOADS = 40;
const AT_ONCE = Array.from({ length: 200 }, (_, index) => index);

/** How often each answer came. */
async function counted(answers: readonly (Response | Promise<Response>)[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const answer of await Promise.all(answers)) {
    const what = answer.ok ? String(answer.status) : `${answer.status} ${await codeOf(answer)}`;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
}

const env = {
  MAX_OPEN_FOLDERS: String(OPEN_FOLDERS),
  MAX_FOLDER_FILES: String(FOLDER_FILES),
  MAX_OPEN_UPLOADS: String(OPEN_UPLOADS),
};
const app = await createTestApp({ env });

describe('what an account may have', () => {
  const newOwner = createOwners(() => app);

  afterEach(() => expectExactSums(app));

  const create = (as: Account, mode: 'plain' | 'private' = 'plain') =>
    app.call('POST', '/rest/v1/rpc/create_folder_with_temp_key', {
      as,
      body: mode === 'plain' ? {} : { sealed_key: 's'.repeat(127), key_share: 'k'.repeat(43) },
    });
  const put = (tus: Tus, folder: Folder, name: string, headers = {}) =>
    upload(tus, folder, name, someBytes(5), headers);
  const filesIn = async (folder: Folder): Promise<number> => {
    const response = await app.call('GET', `/rest/v1/folders/${folder.slug}`);
    return ((await response.json()) as Folder).file_count;
  };

  describe('folders', () => {
    test('are as many as the setting says, however many are created at once, and no share of a refused one stays', async () => {
      const mika = await app.signIn('at once');
      const before = (await app.deps.keyShares.list()).length;
      expect(await counted(AT_ONCE.map(() => create(mika, 'private')))).toEqual({
        201: OPEN_FOLDERS,
        '409 folder.too_many': AT_ONCE.length - OPEN_FOLDERS,
      });
      expect(await (await create(mika)).json()).toMatchObject({
        error: { code: 'folder.too_many', params: { max: OPEN_FOLDERS } },
      });
      expect((await app.deps.keyShares.list()).length - before).toBe(OPEN_FOLDERS);
    });

    test('that are deleted or expired make room, and other accounts’ take none', async () => {
      const mika = await app.signIn('with room');
      const jonas = await app.signIn('with other room');
      const made: Folder[] = [];
      while (made.length < OPEN_FOLDERS) made.push(await makeFolder(app, mika));
      expect((await create(mika)).status).toBe(409);
      await deleteFolder(app, mika, made[0]!);
      await expire(app, made[1]!);
      expect(await counted(AT_ONCE.slice(0, 10).map(() => create(mika)))).toEqual({
        201: 2,
        '409 folder.too_many': 8,
      });
      expect((await create(jonas)).status).toBe(201);
    });
  });

  describe('open uploads', () => {
    test('are as many as the setting says, in however many folders they begin at once', async () => {
      const [mika, first, tus] = await newOwner();
      const folders = [first];
      while (folders.length < 8) folders.push(await makeFolder(app, mika));
      const post = (folder: Folder) => tus.post({ folder, name: freshName(), length: 5 });
      const begun = await Promise.all(AT_ONCE.map((index) => post(folders[index % folders.length]!)));
      const urls = begun.filter(({ ok }) => ok).map(({ headers }) => headers.get('location')!);
      expect(await counted(begun)).toEqual({
        201: OPEN_UPLOADS,
        '413 upload.too_many_open': AT_ONCE.length - OPEN_UPLOADS,
      });
      const refused = await post(folders[0]!);
      expect(await refused.json()).toMatchObject({
        error: { code: 'upload.too_many_open', params: { max: OPEN_UPLOADS } },
      });
      // A completed, cancelled or expired upload is not open any more.
      expect((await tus.patch(urls[0]!, 0, someBytes(5))).status).toBe(204);
      expect((await tus.terminate(urls[1]!)).status).toBe(204);
      await app.database.db.execute(
        sql`update uploads set expires_at = clock_timestamp() - interval '1 second' where id = ${urls[2]!.split('/').at(-1)}::uuid`,
      );
      expect(await counted(AT_ONCE.slice(0, 10).map(() => post(folders[1]!)))).toEqual({
        201: 3,
        '413 upload.too_many_open': 7,
      });
    });
  });

  describe('files of a folder', () => {
    test('are as many as the setting says, including open uploads, however many begin at once', async () => {
      const [mika, folder, tus] = await newOwner();
      for (let index = 0; index < 5; index += 1) await put(tus, folder, freshName());
      const post = () => tus.post({ folder, name: freshName(), length: 5 });
      const begun = await Promise.all(AT_ONCE.map(post));
      expect(await counted(begun)).toEqual({
        201: FOLDER_FILES - 5,
        '413 upload.too_many_files': AT_ONCE.length - FOLDER_FILES + 5,
      });
      const urls = begun.filter(({ ok }) => ok).map(({ headers }) => headers.get('location')!);
      await Promise.all(urls.map((url) => tus.patch(url, 0, someBytes(5))));
      expect(await filesIn(folder)).toBe(FOLDER_FILES);
      const refused = await post();
      expect(await refused.json()).toMatchObject({
        error: { code: 'upload.too_many_files', params: { max: FOLDER_FILES } },
      });
      // Another folder of the same account has its own.
      expect((await tus.post({ folder: await makeFolder(app, mika), name: freshName(), length: 5 })).status).toBe(201);
    });

    test('a full folder’s files can be replaced, and a deleted one makes room', async () => {
      const [, folder, tus] = await newOwner();
      const names = Array.from({ length: FOLDER_FILES }, freshName);
      for (const name of names) await put(tus, folder, name);
      const upsert = { 'x-upsert': 'true' };
      await put(tus, folder, names[0]!, upsert);
      expect((await tus.post({ folder, name: freshName(), length: 5, headers: upsert })).status).toBe(413);
      const remove = (name: string) =>
        fetch(`${app.baseUrl}${OBJECT}/unlocked-folders/${folder.bucket_storage_path}/${name}`, {
          method: 'DELETE',
          headers: tus.headers,
        });
      expect((await remove(names[1]!)).status).toBe(200);
      await put(tus, folder, freshName());
      expect(await filesIn(folder)).toBe(FOLDER_FILES);

      // Its file is deleted during the upload: it takes the free place.
      const late = await tus.create({ folder, name: names[2]!, length: 5, headers: upsert });
      expect((await remove(names[2]!)).status).toBe(200);
      expect((await tus.post({ folder, name: freshName(), length: 5 })).status).toBe(413);
      expect((await tus.patch(late, 0, someBytes(5))).status).toBe(204);
      expect(await filesIn(folder)).toBe(FOLDER_FILES);
    });
  });
});
