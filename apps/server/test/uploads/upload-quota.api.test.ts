import { rename, symlink } from 'node:fs/promises';
import { KIB, MIB } from '@satchel/contract/limits';
import { sql } from 'drizzle-orm';
import { afterEach, describe, expect, test } from 'vitest';
import { WHOLE } from '../../src/platform/blobs/blobs.ts';
import {
  accountOf,
  blobPath,
  createPeople,
  createTus,
  deleteFolder,
  expectExactSums,
  expire,
  freshName,
  makeFolder,
  OBJECT,
  sha256,
  someBytes,
  storedBlobs,
  sweepAll,
  upload,
  uploadState,
} from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';

const app = await createTestApp({ env: { FREE_STORAGE_BYTES: '1MiB', MAX_FILE_BYTES: '2MiB' } });

describe('quota and blobs', () => {
  const newPerson = createPeople(() => app);

  afterEach(async () => {
    await expectExactSums(app);
    expect(app.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });

  const objectUrl = (folder: { bucket_storage_path: string }, name: string) =>
    `${app.baseUrl}${OBJECT}/public/unlocked-folders/${folder.bucket_storage_path}/${name}`;

  test('two hundred uploads at once never reserve more than the quota', async () => {
    const [account, tus] = await newPerson();
    const folder = await makeFolder(app, account);
    const length = 100 * KIB;
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => tus.post({ folder, name: freshName(), length })),
    );
    const created = answers.filter(({ status }) => status === 201);
    expect(created).toHaveLength(Math.floor(MIB / length));
    for (const refused of answers.filter(({ status }) => status !== 201)) {
      expect(refused.status).toBe(413);
      expect(await refused.json()).toMatchObject({
        error: { code: 'upload.over_quota', params: { freeBytes: expect.any(Number) } },
      });
    }
    expect(await accountOf(app, account)).toEqual({ used: 0, reserved: created.length * length });
    await Promise.all(created.map((answer) => tus.terminate(answer.headers.get('location')!)));
    expect(await accountOf(app, account)).toEqual({ used: 0, reserved: 0 });
  });

  test('a mix of everything at once leaves the sums exact', async () => {
    const [account, tus] = await newPerson();
    const folder = await makeFolder(app, account);
    const other = await makeFolder(app, account);
    const names = Array.from({ length: 4 }, freshName);
    const once = async (index: number) => {
      const target = index % 5 === 0 ? other : folder;
      const upsert = { 'x-upsert': String(index % 2 === 0) };
      const bytes = someBytes(1 + ((index * 7919) % (40 * KIB)));
      const created = await tus.post({
        folder: target,
        name: names[index % 4]!,
        length: bytes.length,
        headers: upsert,
      });
      if (created.status !== 201) return;
      const url = created.headers.get('location')!;
      if (index % 7 === 0) return;
      if (index % 6 === 0) return void (await tus.terminate(url));
      const [, , removed] = await Promise.all([
        tus.patch(url, 0, bytes),
        index % 8 === 0 && tus.terminate(url),
        index % 3 === 0 &&
          fetch(`${app.baseUrl}${OBJECT}/unlocked-folders/${folder.bucket_storage_path}/${names[0]}`, {
            method: 'DELETE',
            headers: tus.headers,
          }),
      ]);
      if (removed) expect([200, 404]).toContain(removed.status);
    };
    await Promise.all(Array.from({ length: 40 }, (_, index) => once(index)));
    await expectExactSums(app);
    await deleteFolder(app, account, folder);
    await deleteFolder(app, account, other);
    expect(await accountOf(app, account)).toEqual({ used: 0, reserved: 0 });
  });

  test('a used name: 409 without upsert, also when it was taken during the upload', async () => {
    const [account, tus] = await newPerson();
    const folder = await makeFolder(app, account);
    const name = freshName();
    const late = await tus.create({ folder, name, length: 10 });
    const first = someBytes(20);
    await upload(tus, folder, name, first);
    const again = await tus.post({ folder, name, length: 5 });
    expect(again.status).toBe(409);
    expect(await again.json()).toMatchObject({ error: { code: 'storage.exists' } });
    const { blob_key } = await uploadState(app, late);
    expect((await tus.patch(late, 0, someBytes(10))).status).toBe(409);
    expect((await tus.head(late)).status).toBe(410);
    expect(await storedBlobs(app)).not.toContain(blob_key);
    expect(await accountOf(app, account)).toEqual({ used: 20, reserved: 0 });
    const content = await (await fetch(objectUrl(folder, name))).arrayBuffer();
    expect(sha256(new Uint8Array(content))).toBe(sha256(first));
  });

  test('upsert replaces the object at the end: readers see the old one or the new one, and the old blob is deleted', async () => {
    const [account, tus] = await newPerson();
    const folder = await makeFolder(app, account);
    const name = freshName();
    const versions = [someBytes(300 * KIB), someBytes(200 * KIB), someBytes(250 * KIB)];
    await upload(tus, folder, name, versions[0]!);
    const before = await (await fetch(objectUrl(folder, name))).headers.get('etag');
    const known = new Set(versions.map((bytes) => sha256(bytes)));
    let isDone = false;
    const reading = (async () => {
      while (!isDone) {
        const response = await fetch(objectUrl(folder, name));
        expect(response.status).toBe(200);
        expect(known).toContain(sha256(new Uint8Array(await response.arrayBuffer())));
      }
    })();
    for (const bytes of versions.slice(1)) await upload(tus, folder, name, bytes, { 'x-upsert': 'true' });
    isDone = true;
    await reading;
    expect(await accountOf(app, account)).toEqual({ used: 250 * KIB, reserved: 0 });
    const after = await fetch(objectUrl(folder, name));
    expect(after.headers.get('etag')).not.toBe(before);
    expect(sha256(new Uint8Array(await after.arrayBuffer()))).toBe(sha256(versions[2]!));
  });

  test('an upsert needs room for both versions until it is complete', async () => {
    const [account, tus] = await newPerson();
    const folder = await makeFolder(app, account);
    const name = freshName();
    await upload(tus, folder, name, someBytes(700 * KIB));
    const headers = { 'x-upsert': 'true' };
    expect((await tus.post({ folder, name, length: 700 * KIB, headers })).status).toBe(413);
    await upload(tus, folder, name, someBytes(300 * KIB), headers);
    await upload(tus, folder, name, someBytes(700 * KIB), headers);
    expect(await accountOf(app, account)).toEqual({ used: 700 * KIB, reserved: 0 });
  });

  test('revoking a folder’s link ends its open uploads and keeps its files', async () => {
    const [account, tus] = await newPerson();
    const folder = await makeFolder(app, account, 'private');
    const kept = `${freshName()}.enc`;
    await upload(tus, folder, kept, someBytes(10));
    const url = await tus.create({ folder, name: `${freshName()}.enc`, length: 100 });
    expect((await tus.patch(url, 0, someBytes(50))).status).toBe(204);
    expect((await app.rpc('revoke_temp_encryption_key', { folder_id: folder.id }, account)).status).toBe(204);
    expect((await tus.patch(url, 50, someBytes(50))).status).toBe(410);
    expect(await accountOf(app, account)).toEqual({ used: 10, reserved: 0 });
    expect((await fetch(objectUrl(folder, kept))).status).toBe(200);
    expect(await sweepAll(app)).toEqual([]);
  });

  test('the sweep purges expired uploads, and keeps the files of completed ones', async () => {
    const [account, tus] = await newPerson();
    const folder = await makeFolder(app, account);
    const open = await tus.create({ folder, name: freshName(), length: 1000 });
    await tus.patch(open, 0, someBytes(10));
    const done = await upload(tus, folder, freshName(), someBytes(500));
    const { blob_key } = await uploadState(app, open);
    await app.database.db.execute(
      sql`update uploads set expires_at = clock_timestamp() - interval '1 second' where folder_id = ${folder.id}::uuid`,
    );
    expect(await sweepAll(app)).toEqual([]);
    expect(await accountOf(app, account)).toEqual({ used: 500, reserved: 0 });
    expect(await storedBlobs(app)).not.toContain(blob_key);
    for (const url of [open, done]) expect((await tus.head(url)).status).toBe(410);
  });

  test('the sweep purges an expired folder with its files, uploads and blobs', async () => {
    const [account, tus] = await newPerson();
    const folder = await makeFolder(app, account);
    const open = await tus.create({ folder, name: freshName(), length: 1000 });
    expect((await tus.patch(open, 0, someBytes(10))).status).toBe(204);
    const done = await upload(tus, folder, freshName(), someBytes(500));
    const keys = [(await uploadState(app, open)).blob_key, (await uploadState(app, done)).blob_key];
    expect(await storedBlobs(app)).toEqual(expect.arrayContaining(keys));
    await expire(app, folder);
    expect(await sweepAll(app)).toEqual([]);
    expect(await accountOf(app, account)).toEqual({ used: 0, reserved: 0 });
    for (const key of keys) expect(await storedBlobs(app)).not.toContain(key);
    expect((await tus.head(open)).status).toBe(410);
  });
});

test('a full disk is 507, and the upload continues once there is room', async () => {
  const app = await createTestApp();
  const mika = await app.signIn('mika');
  const tus = createTus(app, mika);
  const folder = await makeFolder(app, mika);
  const bytes = someBytes(2 * MIB);
  const url = await tus.create({ folder, name: 'full_1700000000000_abcdefgh.bin', length: bytes.length });
  const { blob_key: blobKey } = await uploadState(app, url);
  const empty = await app.deps.blobs.append({ blobKey, epoch: 1, offsetBytes: 0, last: { start: 0, name: WHOLE } });
  await empty.sync(0);
  await empty.close();
  // The system's own full device replaces the blob.
  const path = blobPath(app, blobKey);
  await rename(path, `${path}.aside`);
  await symlink('/dev/full', path);
  const full = await tus.patch(url, 0, bytes);
  expect([full.status, await full.json()]).toMatchObject([507, { error: { code: 'storage.full' } }]);
  const line = app.log.find((each) => each.includes('storage.full')) ?? '{}';
  expect(JSON.parse(line)).toMatchObject({ msg: 'answered', status: 507, error: { code: 'ENOSPC', syscall: 'write' } });
  expect(app.log.join()).not.toContain('"stack"');
  await rename(`${path}.aside`, path);
  expect(await tus.offsetOf(url)).toBe(0);
  expect((await tus.patch(url, 0, bytes)).status).toBe(204);
  await expectExactSums(app);
});
