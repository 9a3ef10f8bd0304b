import { randomUUID } from 'node:crypto';
import { rename, symlink } from 'node:fs/promises';
import { type ClientRequest, request } from 'node:http';
import { PassThrough } from 'node:stream';
import type { Folder } from '@satchel/contract/entities';
import { KIB, MIB } from '@satchel/contract/limits';
import { eq, sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { holdBlobs, releaseHeld } from '../../src/domain/files/blob-purge.ts';
import { MINIMUM_RATE } from '../../src/domain/uploads/minimum-rate.ts';
import { createWholeUploads } from '../../src/domain/uploads/whole-uploads.ts';
import { WHOLE, wholeBlob } from '../../src/platform/blobs/blobs.ts';
import { inTransaction } from '../../src/platform/database/db.ts';
import { sessions } from '../../src/platform/schema/accounts.ts';
import { blob_removals, uploads } from '../../src/platform/schema/files.ts';
import { denied_blobs } from '../../src/platform/schema/moderation.ts';
import { createFaults } from '../support/faults.ts';
import { creationHeaders } from '../support/folders.ts';
import {
  accountOf,
  BYTES_TYPE,
  blobPath,
  codeOf,
  createOwners,
  createTus,
  expectChecksums,
  expectExactSums,
  expire,
  freshName,
  makeFolder,
  OBJECT,
  RESUMABLE,
  sha256,
  someBytes,
  storedBlobs,
  sweepAll,
  type Tus,
  upload,
  uploadState,
} from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';

/** What uploads do at once and one after another, in pieces and whole: quota, blobs and files stay exact. */

const LENGTH = 20 * KIB;

const app = await createTestApp({
  env: { FREE_STORAGE_BYTES: '1MiB', MAX_FILE_BYTES: '2MiB', MAX_FOLDER_FILES: '60' },
});
const newOwner = createOwners(() => app);
afterEach(async () => {
  await expectExactSums(app);
  expect(app.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});
afterAll(() => expectChecksums(app));

const objectUrl = (folder: Folder, name: string) =>
  `${app.baseUrl}${OBJECT}/public/unlocked-folders/${folder.bucket_storage_path}/${name}`;

/** tus, Creation With Upload. */
describe('small files in one request', () => {
  const send = (tus: Tus, folder: Folder, name: string, body = someBytes(LENGTH), headers = {}) =>
    tus.post({ folder, name, length: body.length, body, headers: { 'content-type': BYTES_TYPE, ...headers } });
  const download = (folder: Folder, name: string) => fetch(objectUrl(folder, name));
  const listOf = async ({ bucket_storage_path: prefix }: Folder) => {
    const answer = await app.call('POST', `${OBJECT}/list/unlocked-folders`, { body: { prefix } });
    return answer.json();
  };
  const queued = () => app.database.db.select().from(blob_removals);

  /** A creation whose body the test sends piece by piece. */
  function openPost(tus: Tus, folder: Folder, name: string): ClientRequest {
    const path = `${folder.bucket_storage_path}/${name}`;
    return request(app.baseUrl + RESUMABLE, {
      method: 'POST',
      headers: {
        ...tus.headers,
        'content-type': BYTES_TYPE,
        'content-length': String(LENGTH),
        ...creationHeaders(path, LENGTH),
      },
    });
  }

  test('forty at once are each stored as they were sent, and share transactions', async () => {
    const [account, folder, tus] = await newOwner();
    const all = Array.from({ length: 40 }, () => ({ name: freshName(), bytes: someBytes(LENGTH) }));
    const query = vi.spyOn(pg.Client.prototype, 'query');
    const answers = await Promise.all(all.map(({ name, bytes }) => send(tus, folder, name, bytes)));
    const commits = query.mock.calls.filter(([statement]) => JSON.stringify(statement).includes('commit'));
    query.mockRestore();
    expect(answers.map(({ status }) => status)).toEqual(all.map(() => 201));
    expect(answers.map(({ headers }) => headers.get('upload-offset'))).toEqual(all.map(() => String(LENGTH)));
    for (const { name, bytes } of all) {
      expect(sha256(new Uint8Array(await (await download(folder, name)).arrayBuffer()))).toBe(sha256(bytes));
    }
    expect(await accountOf(app, account)).toEqual({ used: 40 * LENGTH, reserved: 0 });
    expect(await queued()).toEqual([]);
    expect(commits.length).toBeLessThan(20);
  });

  test.each([
    ['with its creation', { body: new Uint8Array(0), headers: { 'content-type': BYTES_TYPE } }],
    ['by its creation alone', {}],
  ])('an empty file is stored %s, listed, read, replaced and deleted like any other', async (_, sent) => {
    const [account, folder, tus] = await newOwner();
    const name = freshName();
    const created = await tus.post({ folder, name, length: 0, ...sent });
    expect([created.status, created.headers.get('upload-offset')]).toEqual([201, '0']);
    expect(await tus.offsetOf(created.headers.get('location')!)).toBe(0);
    const got = await download(folder, name);
    expect([got.status, got.headers.get('content-length'), await got.text()]).toEqual([200, '0', '']);
    expect(await listOf(folder)).toMatchObject([{ name, metadata: { size: 0 } }]);
    expect(await accountOf(app, account)).toEqual({ used: 0, reserved: 0 });

    expect((await send(tus, folder, name, someBytes(5), { 'x-upsert': 'true' })).status).toBe(201);
    const again = await tus.post({ folder, name, length: 0, headers: { 'x-upsert': 'true' } });
    expect(again.status).toBe(201);
    expect(await (await download(folder, name)).text()).toBe('');
    expect((await tus.terminate(again.headers.get('location')!)).status).toBe(204);
    expect((await download(folder, name)).status).toBe(404);
    expect(await queued()).toEqual([]);
  });

  test('bytes of a file that says it is empty are refused, and its number counts', async () => {
    const [, folder, tus] = await newOwner();
    const headers = { 'content-type': BYTES_TYPE };
    const more = await tus.post({ folder, name: freshName(), length: 0, body: someBytes(1), headers });
    expect([more.status, await codeOf(more)]).toEqual([413, 'upload.length_exceeded']);
    const answers = await Promise.all(
      Array.from({ length: 61 }, () => tus.post({ folder, name: freshName(), length: 0 })),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(await Promise.all(refused.map(codeOf))).toEqual(['upload.too_many_files']);
  });

  test('its address answers HEAD with the length, and DELETE deletes the file', async () => {
    const [account, folder, tus] = await newOwner();
    const name = freshName();
    const url = (await send(tus, folder, name)).headers.get('location')!;
    expect(await tus.offsetOf(url)).toBe(LENGTH);
    expect((await tus.patch(url, LENGTH, '')).status).toBe(204);
    expect((await tus.terminate(url)).status).toBe(204);
    expect((await download(folder, name)).status).toBe(404);
    expect(await accountOf(app, account)).toEqual({ used: 0, reserved: 0 });
  });

  test('of files at once, each has its own answer: a taken name, one name twice, a full quota', async () => {
    const [account, folder, tus] = await newOwner();
    const taken = freshName();
    expect((await send(tus, folder, taken)).status).toBe(201);
    const twice = freshName();
    const names = [taken, twice, twice, ...Array.from({ length: 10 }, freshName)];
    const answers = await Promise.all(names.map((name) => send(tus, folder, name)));
    const codes = await Promise.all(answers.map((answer) => (answer.status === 201 ? 'stored' : codeOf(answer))));
    expect(codes[0]).toBe('storage.exists');
    expect(codes.slice(1, 3).toSorted()).toEqual(['storage.exists', 'stored']);
    expect(codes.slice(3)).toEqual(Array.from({ length: 10 }, () => 'stored'));

    const large = await Promise.all(
      Array.from({ length: 4 }, () => send(tus, folder, freshName(), someBytes(300 * KIB))),
    );
    const refused = large.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(2);
    for (const answer of refused) expect([answer.status, await codeOf(answer)]).toEqual([413, 'upload.over_quota']);
    const { used } = await accountOf(app, account);
    expect(used).toBe(12 * LENGTH + 2 * 300 * KIB);
    expect(await queued()).toEqual([]);
  });

  test('a folder’s cap on files holds for files that come at once', async () => {
    const [, folder, tus] = await newOwner();
    await tus.create({ folder, name: freshName(), length: 10 });
    const answers = await Promise.all(Array.from({ length: 70 }, () => send(tus, folder, freshName(), someBytes(10))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(59);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(new Set(await Promise.all(refused.map(codeOf)))).toEqual(new Set(['upload.too_many_files']));
  });

  test('with x-upsert a file replaces the one of its name, whose bytes are free again', async () => {
    const [account, folder, tus] = await newOwner();
    const name = freshName();
    await send(tus, folder, name);
    const bytes = someBytes(500);
    const before = (await storedBlobs(app)).length;
    expect((await send(tus, folder, name, bytes, { 'x-upsert': 'true' })).status).toBe(201);
    expect(sha256(new Uint8Array(await (await download(folder, name)).arrayBuffer()))).toBe(sha256(bytes));
    expect((await storedBlobs(app)).length).toBe(before);
    expect(await accountOf(app, account)).toEqual({ used: 500, reserved: 0 });
  });

  test('a checksum is compared before anything is stored', async () => {
    const [, folder, tus] = await newOwner();
    const bytes = someBytes(LENGTH);
    const checksum = (hex: string) => ({ 'upload-checksum': `sha256 ${Buffer.from(hex, 'hex').toString('base64')}` });
    const before = (await storedBlobs(app)).length;
    const wrong = await send(tus, folder, freshName(), bytes, checksum('00'.repeat(32)));
    expect([wrong.status, await codeOf(wrong)]).toEqual([460, 'upload.checksum_mismatch']);
    expect((await storedBlobs(app)).length).toBe(before);
    expect((await send(tus, folder, freshName(), bytes, checksum(sha256(bytes)))).status).toBe(201);
  });

  test('a denied file is refused, and those that came with it are stored', async () => {
    const [, folder, tus] = await newOwner();
    const denied = someBytes(777);
    await app.database.db.insert(denied_blobs).values({ sha256: sha256(denied), size_bytes: 777, reason: 'malware' });
    const bodies = [someBytes(777), denied, someBytes(778)];
    const answers = await Promise.all(bodies.map((body) => send(tus, folder, freshName(), body)));
    expect(answers.map(({ status }) => status === 201)).toEqual([true, false, true]);
    expect(await codeOf(answers[1]!)).toBe('upload.denied');
    expect(await queued()).toEqual([]);
  });

  test('a sender that leaves before its last byte leaves nothing behind', async () => {
    const [, folder, tus] = await newOwner();
    const before = (await storedBlobs(app)).length;
    const name = freshName();
    const outgoing = openPost(tus, folder, name);
    const cut = new Promise((resolve) => outgoing.once('error', resolve));
    await new Promise<void>((resolve) => outgoing.write(someBytes(LENGTH - 1), () => resolve()));
    outgoing.destroy();
    await cut;
    expect((await send(tus, folder, name)).status).toBe(201);
    expect((await storedBlobs(app)).length).toBe(before + 1);
    const ofFolder = await app.database.db.select().from(uploads).where(eq(uploads.folder_id, folder.id));
    expect(ofFolder).toHaveLength(1);
  });

  test('a session that ends while the bytes come stores nothing', async () => {
    const [account, folder, tus] = await newOwner();
    const before = (await storedBlobs(app)).length;
    const query = vi.spyOn(pg.Client.prototype, 'query');
    const outgoing = openPost(tus, folder, freshName());
    const answered = new Promise<number>((resolve) =>
      outgoing.once('response', (response) => resolve(response.resume().statusCode ?? 0)),
    );
    await new Promise<void>((resolve) => outgoing.write(someBytes(LENGTH - 1), () => resolve()));
    const asked = () => query.mock.calls.map(([, values]) => String(values)).join();
    await expect.poll(asked).toContain(folder.bucket_storage_path);
    query.mockRestore();
    await app.database.db.delete(sessions).where(eq(sessions.id, account.session_id));
    outgoing.end(someBytes(1));
    expect(await answered).toBe(401);
    expect((await storedBlobs(app)).length).toBe(before);
  });

  test('a file whose transaction committed keeps its bytes, though its answer was an error', async () => {
    const [, folder, tus] = await newOwner();
    const [name, bytes] = [freshName(), someBytes(LENGTH)];
    createFaults(app.deps.blobs, app.database.db).arm('commit', 0);
    expect((await send(tus, folder, name, bytes)).status).toBe(500);
    expect(app.log.splice(0).filter((line) => line.includes('"level":"error"'))).toHaveLength(1);
    expect(sha256(new Uint8Array(await (await download(folder, name)).arrayBuffer()))).toBe(sha256(bytes));
    expect(await queued()).toEqual([]);
  });

  test('the blob of a server that was killed is purged when its hold is over, and can’t be taken any more', async () => {
    const { db } = app.database;
    const [kept, lost] = [randomUUID(), randomUUID()];
    await holdBlobs(db, [kept, lost]);
    for (const key of [kept, lost]) await app.deps.blobs.put(key, [someBytes(10)]);
    await db.update(blob_removals).set({ held_until: sql`now()` }).where(eq(blob_removals.blob_key, lost));
    expect(await sweepAll(app)).toEqual([]);
    const stored = await storedBlobs(app);
    expect([stored.includes(kept), stored.includes(lost)]).toEqual([true, false]);
    await expect(inTransaction(db, (tx) => releaseHeld(tx, [kept, lost]))).rejects.toMatchObject({
      code: 'request.unavailable',
    });
    await inTransaction(db, (tx) => releaseHeld(tx, [kept]));
    await app.deps.blobs.delete([wholeBlob(kept)]);
  });

  test('bodies wait in bounded memory: beyond it, a file goes to disk as it comes; a closing server stops them', async () => {
    const [account, folder] = await newOwner();
    const deps = { db: app.database.db, blobs: app.deps.blobs, onCompleted: () => undefined };
    const whole = createWholeUploads(deps, app.config, MINIMUM_RATE);
    const offer = (body: PassThrough) =>
      whole.store({
        folderId: folder.id,
        viewer: account,
        body,
        checksum: null,
        onWritten: () => undefined,
        upload: {
          storagePath: folder.bucket_storage_path,
          segment: freshName(),
          length_bytes: MIB,
          metadata: '',
          mimetype: 'text/plain',
          cache_control: '3600',
          sealed: null,
          upsert: false,
          link_token: null,
        },
      });
    const waiting = Array.from({ length: 32 }, () => offer(new PassThrough()));
    expect(waiting.every((stored) => stored !== null)).toBe(true);
    expect(offer(new PassThrough())).toBeNull();
    const outcomes = Promise.allSettled(waiting);
    await whole.close(0);
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'request.unavailable' } });
    }
  });
});

describe('quota and blobs', () => {
  test('two hundred uploads at once never reserve more than the quota', async () => {
    const [account, folder, tus] = await newOwner();
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

  test('a used name: 409 without upsert, also when it was taken during the upload', async () => {
    const [account, folder, tus] = await newOwner();
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
    const [account, folder, tus] = await newOwner();
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
    const [account, folder, tus] = await newOwner();
    const name = freshName();
    await upload(tus, folder, name, someBytes(700 * KIB));
    const headers = { 'x-upsert': 'true' };
    expect((await tus.post({ folder, name, length: 700 * KIB, headers })).status).toBe(413);
    await upload(tus, folder, name, someBytes(300 * KIB), headers);
    await upload(tus, folder, name, someBytes(700 * KIB), headers);
    expect(await accountOf(app, account)).toEqual({ used: 700 * KIB, reserved: 0 });
  });

  test('revoking a folder’s link ends its open uploads and keeps its files', async () => {
    const [account, folder, tus] = await newOwner('private');
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
    const [account, folder, tus] = await newOwner();
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
    const [account, folder, tus] = await newOwner();
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
