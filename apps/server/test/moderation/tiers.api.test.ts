import type { CreateFolderOutput } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import type { WireError } from '@satchel/contract/errors';
import { KIB, maxSealedBytes } from '@satchel/contract/limits';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  accountOf,
  createTus,
  expectExactSums,
  freshName,
  makeFolder,
  OBJECT,
  someBytes,
  type Tus,
  upload,
} from '../support/storage-kit.ts';
import { type Account, createTestApp } from '../support/test-app.ts';

const HOUR_MS = 3_600_000;
const FREE = { storage: 64 * KIB, file: 32 * KIB, hours: 24 };
const PLUS = { storage: 256 * KIB, file: 96 * KIB, hours: 72 };

const app = await createTestApp({
  env: {
    FREE_STORAGE_BYTES: String(FREE.storage),
    MAX_FILE_BYTES: String(FREE.file),
    FOLDER_LIFETIME_HOURS: String(FREE.hours),
    TIERS: JSON.stringify({ plus: { ...PLUS, storage: String(PLUS.storage), file: String(PLUS.file) } }),
  },
});

describe('what a tier allows', () => {
  let counter = 0;
  let mika: Account;
  let tus: Tus;
  beforeEach(async () => {
    mika = await app.signIn(`mika ${counter++}`);
    tus = createTus(app, mika);
  });
  afterEach(() => expectExactSums(app));

  const setTier = (tier: string) =>
    app.database.db.execute(sql`update profiles set subscription_tier = ${tier} where id = ${mika.profile_id}::uuid`);
  const refusalOf = async (response: Response) => {
    const { error } = (await response.json()) as WireError;
    return [response.status, error.code, error.params];
  };
  const post = (folder: Folder, length: number, name = freshName()) => tus.post({ folder, name, length });
  async function put(folder: Folder, length: number): Promise<string> {
    const name = freshName();
    await upload(tus, folder, name, someBytes(length));
    return name;
  }
  const create = (input: object) => app.rpc<CreateFolderOutput>('create_folder_with_temp_key', input, mika);
  const codeOf = ({ status, body }: { status: number; body: unknown }) => [status, (body as WireError).error];
  const lifeOf = ({ created_at, expires_at }: Folder) => (Date.parse(expires_at) - Date.parse(created_at)) / HOUR_MS;

  test('the largest file is the tier’s, sealed or not, and OPTIONS names the largest of all tiers', async () => {
    const plain = await makeFolder(app, mika);
    expect(await refusalOf(await post(plain, FREE.file + 1))).toEqual([
      413,
      'upload.too_large',
      { sizeBytes: FREE.file + 1, maxBytes: FREE.file },
    ]);
    await setTier('plus');
    expect((await post(plain, FREE.file + 1)).status).toBe(201);
    expect((await post(plain, PLUS.file + 1)).status).toBe(413);
    const sealed = await makeFolder(app, mika, 'private');
    const largest = maxSealedBytes(PLUS.file);
    expect((await post(sealed, largest, `${freshName()}.enc`)).status).toBe(201);
    expect((await post(sealed, largest + 1, `${freshName()}.enc`)).status).toBe(413);
    const options = await tus.call('OPTIONS', `${app.baseUrl}/storage/v1/upload/resumable`);
    expect(options.headers.get('tus-max-size')).toBe(String(largest));
  });

  test('a folder’s life is the tier’s, at its creation and in its settings', async () => {
    const tooLong = { expires_in_hours: FREE.hours + 1 };
    const refused = [400, expect.objectContaining({ code: 'folder.lifetime', params: { hours: FREE.hours } })];
    expect(codeOf(await create(tooLong))).toEqual(refused);
    const short = (await create({})).body.folder;
    expect(lifeOf(short)).toBe(FREE.hours);
    const later = (folder: Folder, hours: number) =>
      app.rpc<{ folder: Folder }>(
        'update_folder_settings',
        {
          folder_id: folder.id,
          new_expires_at: new Date(Date.parse(folder.created_at) + hours * HOUR_MS).toISOString(),
        },
        mika,
      );
    expect(codeOf(await later(short, FREE.hours + 1))).toEqual(refused);
    await setTier('plus');
    expect(lifeOf((await create(tooLong)).body.folder)).toBe(FREE.hours + 1);
    expect(lifeOf((await create({})).body.folder)).toBe(PLUS.hours);
    const { body } = await later(short, PLUS.hours);
    expect(lifeOf(body.folder)).toBe(PLUS.hours);
    expect((await later(short, PLUS.hours + 1)).status).toBe(400);
    // A folder keeps its end, and can't be extended.
    await setTier('free');
    expect(codeOf(await later(short, PLUS.hours + 1))).toEqual(refused);
    expect((await later(short, PLUS.hours - 1)).status).toBe(200);
  });

  test('an account whose tier is lowered stores nothing new, and loses nothing', async () => {
    await setTier('plus');
    const folder = await makeFolder(app, mika);
    const names = [await put(folder, 90 * KIB), await put(folder, 90 * KIB)];
    const open = await tus.create({ folder, name: freshName(), length: 40 * KIB });
    for (const tier of ['free', 'a tier that the settings do not know any more']) {
      await setTier(tier);
      expect(await refusalOf(await post(folder, 1))).toEqual([413, 'upload.over_quota', { freeBytes: 0 }]);
    }
    // The reserved room of an open upload stays.
    expect((await tus.patch(open, 0, someBytes(40 * KIB))).status).toBe(204);
    expect(await accountOf(app, mika)).toEqual({ used: 220 * KIB, reserved: 0 });
    const objects = `${app.baseUrl}${OBJECT}/unlocked-folders/${folder.bucket_storage_path}`;
    for (const name of names)
      expect((await (await fetch(`${objects}/${name}`)).arrayBuffer()).byteLength).toBe(90 * KIB);
    const remove = (name: string) => fetch(`${objects}/${name}`, { method: 'DELETE', headers: tus.headers });
    expect((await remove(names[0]!)).status).toBe(200);
    expect((await post(folder, 1)).status).toBe(413);
    expect((await remove(names[1]!)).status).toBe(200);
    expect((await post(folder, FREE.storage - 40 * KIB + 1)).status).toBe(413);
    expect((await post(folder, FREE.storage - 40 * KIB)).status).toBe(201);
  });

  test('uploads during a change of the tier never exceed the limit that applies in the end', async () => {
    await setTier('plus');
    const folder = await makeFolder(app, mika);
    const rush = (count: number) => Promise.all(Array.from({ length: count }, () => post(folder, 16 * KIB)));
    const [during] = await Promise.all([rush(30), setTier('free')]);
    const { reserved } = await accountOf(app, mika);
    expect(reserved).toBe(during.filter(({ status }) => status === 201).length * 16 * KIB);
    expect(reserved).toBeLessThanOrEqual(PLUS.storage);
    const after = await rush(10);
    const { reserved: atLast } = await accountOf(app, mika);
    expect(after.some(({ status }) => status === 201)).toBe(reserved < FREE.storage);
    expect(atLast).toBe(Math.max(reserved, FREE.storage));
  });
});
