import type { Folder } from '@satchel/contract/entities';
import { afterEach, describe, expect, test } from 'vitest';
import { createFaults, type Fault } from '../support/faults.ts';
import { createOperatedApp, operate } from '../support/operators.ts';
import {
  accountOf,
  BYTES_TYPE,
  createOwners,
  createTus,
  deleteFolder,
  expectExactSums,
  expire,
  freshName,
  OBJECT,
  someBytes,
  storedBlobs,
  sweepAll,
  upload,
} from '../support/storage-kit.ts';
import type { Account } from '../support/test-app.ts';
import {
  fileRow,
  makeFiles,
  putStills,
  queuedBlobs,
  stillOf,
  stillsOf,
  storeStills,
} from '../support/uploads/still-kit.ts';

/** A still is deleted with its file, its bytes and its quota at once, also beside failures and other requests. */

const STORAGE = 256 * 1024;
const STILL_BYTES = 5700;

const newOwner = createOwners(() => app);

const app = await createOperatedApp({ env: { FREE_STORAGE_BYTES: String(STORAGE) } });
const faults = createFaults(app.deps.blobs, app.database.db);
afterEach(async () => {
  faults.disarm();
  await expectExactSums(app);
  expect(await queuedBlobs(app)).toEqual([]);
});

interface Pictured {
  readonly owner: Account;
  readonly folder: Folder;
  readonly name: string;
  readonly url: string;
}

/** A file of 50 bytes with a still. */
async function makePictured(): Promise<Pictured> {
  const [owner, folder, tus] = await newOwner();
  const name = freshName();
  const url = await upload(tus, folder, name, someBytes(50));
  expect(await storeStills(app, owner, folder, stillOf(name))).toEqual([name]);
  expect(await accountOf(app, owner)).toEqual({ used: 50 + STILL_BYTES, reserved: 0 });
  return { owner, folder, name, url };
}

const objectUrl = ({ folder }: Pictured) => `${app.baseUrl}${OBJECT}/unlocked-folders/${folder.bucket_storage_path}`;
const bearer = ({ owner }: Pictured) => ({ authorization: `Bearer ${owner.bearer}` });
const takeDown =
  (deny_files: boolean) =>
  async ({ folder }: Pictured) => {
    const takedown = { folder_slug: folder.slug, reason: 'spam', deny_files };
    expect((await operate(app, app.olga, 'POST', '/takedowns', takedown)).status).toBe(204);
  };

/** Each way in which a file goes, and the bytes that its owner uses afterwards; null without an account. */
const WAYS: Readonly<Record<string, readonly [act: (of: Pictured) => Promise<unknown>, used: number | null]>> = {
  'is deleted': [(of) => fetch(`${objectUrl(of)}/${of.name}`, { method: 'DELETE', headers: bearer(of) }), 0],
  'is deleted with others': [
    (of) =>
      fetch(`${app.baseUrl}${OBJECT}/unlocked-folders`, {
        method: 'DELETE',
        headers: { ...bearer(of), 'content-type': 'application/json' },
        body: JSON.stringify({ prefixes: [`${of.folder.bucket_storage_path}/${of.name}`] }),
      }),
    0,
  ],
  'is deleted with its upload': [({ owner, url }) => createTus(app, owner).terminate(url), 0],
  'is replaced by an upload': [
    ({ owner, folder, name }) => upload(createTus(app, owner), folder, name, someBytes(70), { 'x-upsert': 'true' }),
    70,
  ],
  'is replaced by a small file in one request': [
    ({ owner, folder, name }) => {
      const headers = { 'x-upsert': 'true', 'content-type': BYTES_TYPE };
      return createTus(app, owner).create({ folder, name, length: 70, body: someBytes(70), headers });
    },
    70,
  ],
  'goes with its folder': [({ owner, folder }) => deleteFolder(app, owner, folder), 0],
  expires: [
    async ({ folder }) => {
      await expire(app, folder);
      expect(await sweepAll(app)).toEqual([]);
    },
    0,
  ],
  'is taken down': [takeDown(false), 0],
  'is taken down and denied': [takeDown(true), 0],
  'goes with its account': [({ owner }) => app.call('DELETE', '/rest/v1/profiles/me', { as: owner }), null],
};

test.each(Object.entries(WAYS))('when a file %s, its still goes at once', async (_, [act, used]) => {
  const pictured = await makePictured();
  const { still_key } = await fileRow(app, pictured.name);
  expect(await storedBlobs(app)).toContain(still_key);
  await act(pictured);
  expect(await storedBlobs(app)).not.toContain(still_key);
  if (used !== null) expect(await accountOf(app, pictured.owner)).toEqual({ used, reserved: 0 });
  if (used) expect(await stillsOf(app, pictured.folder, [pictured.name], 'small')).toEqual([null]);
});

test('revoking a link keeps the stills of the files that stay, and takes no more', async () => {
  const [owner, folder] = await newOwner('private');
  const [name] = (await makeFiles(app, owner, folder, 1)) as [string];
  const still = stillOf(name);
  await storeStills(app, owner, folder, still);
  expect((await app.rpc('revoke_temp_encryption_key', { folder_id: folder.id }, owner)).status).toBe(204);
  expect((await putStills(app, owner, folder, stillOf(name))).status).toBe(409);
  expect(await stillsOf(app, folder, [name], 'small')).toEqual([still.small]);
});

describe('the quota', () => {
  test('leaves out a still that does not fit, and takes a shorter one after it', async () => {
    const [owner, folder] = await newOwner();
    const names = await makeFiles(app, owner, folder, 4);
    const free = STORAGE - 200;
    const lengths = [free - 130_000 - 3000, 120_000, 130_000, 2000];
    const stills = names.map((name, at) => stillOf(name, 500, lengths[at]! - 500));
    expect(await storeStills(app, owner, folder, ...stills)).toEqual([names[0], names[1], names[3]]);
    expect((await accountOf(app, owner)).used).toBe(200 + lengths[0]! + lengths[1]! + lengths[3]!);
  });

  test('is kept by many requests at once', async () => {
    const [owner, folder] = await newOwner();
    const names = await makeFiles(app, owner, folder, 12);
    const stored = await Promise.all(
      names.map((name) => storeStills(app, owner, folder, stillOf(name, 16_000, 60_000))),
    );
    expect(stored.flat()).toHaveLength(3);
    expect((await accountOf(app, owner)).used).toBe(600 + 3 * 76_000);
  });
});

describe('at the same time', () => {
  test('eight stills of one file leave one of them', async () => {
    const { owner, folder, name } = await makePictured();
    const stills = Array.from({ length: 8 }, () => stillOf(name));
    const before = (await storedBlobs(app)).length;
    await Promise.all(stills.map((still) => storeStills(app, owner, folder, still)));
    const [small] = await stillsOf(app, folder, [name], 'small');
    const [large] = await stillsOf(app, folder, [name], 'large');
    expect(stills).toContainEqual({ name, small, large });
    expect((await storedBlobs(app)).length).toBe(before);
  });

  test.each(Object.entries(WAYS).filter(([, [, used]]) => used !== null))(
    'a still that comes while its file %s leaves no bytes that are not counted',
    async (_, [act]) => {
      const pictured = await makePictured();
      const { owner, folder, name } = pictured;
      const puts = Array.from({ length: 6 }, () => putStills(app, owner, folder, stillOf(name)));
      const [, ...answers] = await Promise.all([act(pictured), ...puts]);
      for (const { status } of answers) expect([200, 404, 410]).toContain(status);
      // In either order sums and blobs agree, which each test's end checks.
    },
  );
});

describe('a failure', () => {
  const CASES: readonly (readonly [Fault, number, number])[] = [
    ['put', 0, 500],
    ['put', 3, 500],
    ['rollback', 0, 500],
    ['commit', 0, 500],
    ['delete', 0, 200],
  ];

  test.each(CASES)('at %s (after %i) leaves no blob without a row', async (fault, skip, status) => {
    const [owner, folder] = await newOwner();
    const names = await makeFiles(app, owner, folder, 5);
    await storeStills(app, owner, folder, ...names.map((name) => stillOf(name)));
    const next = names.map((name) => stillOf(name));
    faults.arm(fault, skip);
    expect((await putStills(app, owner, folder, ...next)).status).toBe(status);
    await expectExactSums(app);
    const isStored = fault === 'commit' || fault === 'delete';
    const read = await stillsOf(app, folder, names, 'small');
    for (const [at, still] of read.entries()) {
      if (isStored) expect(still).toEqual(next[at]!.small);
      else expect(still).not.toBeNull();
    }
    expect(await sweepAll(app)).toEqual([]);
    // A file and a still for each name.
    const rows = await Promise.all(names.map((name) => fileRow(app, name)));
    const blobs = await storedBlobs(app);
    expect(rows.every(({ still_key }) => blobs.includes(still_key!))).toBe(true);
    await deleteFolder(app, owner, folder);
    expect(
      (await storedBlobs(app)).filter((key) => rows.some((row) => [row.blob_key, row.still_key].includes(key))),
    ).toEqual([]);
  });
});
