import { randomUUID } from 'node:crypto';
import { type ClientRequest, request } from 'node:http';
import { PassThrough } from 'node:stream';
import { KIB, MIB } from '@satchel/contract/limits';
import { eq, sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { holdBlobs, releaseHeld } from '../../src/domain/files/blob-purge.ts';
import { MINIMUM_RATE } from '../../src/domain/uploads/minimum-rate.ts';
import { createWholeUploads } from '../../src/domain/uploads/whole-uploads.ts';
import { wholeBlob } from '../../src/platform/blobs/blobs.ts';
import { inTransaction } from '../../src/platform/database/db.ts';
import { sessions } from '../../src/platform/schema/accounts.ts';
import { blob_removals, uploads } from '../../src/platform/schema/files.ts';
import { denied_blobs } from '../../src/platform/schema/moderation.ts';
import { createFaults } from '../support/faults.ts';
import { creationHeaders } from '../support/folders.ts';
import {
  accountOf,
  BYTES_TYPE,
  codeOf,
  createPeople,
  expectChecksums,
  expectExactSums,
  freshName,
  makeFolder,
  OBJECT,
  RESUMABLE,
  sha256,
  someBytes,
  storedBlobs,
  sweepAll,
  type Tus,
} from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';

/** Small files that come whole with their creation (tus, Creation With Upload). */

const LENGTH = 20 * KIB;

const app = await createTestApp({ env: { FREE_STORAGE_BYTES: '1MiB', MAX_FOLDER_FILES: '60' } });

describe('small files in one request', () => {
  const newPerson = createPeople(() => app);

  afterEach(async () => {
    await expectExactSums(app);
    expect(app.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });
  afterAll(() => expectChecksums(app));

  type Folder = Awaited<ReturnType<typeof makeFolder>>;
  const send = (tus: Tus, folder: Folder, name: string, body = someBytes(LENGTH), headers = {}) =>
    tus.post({ folder, name, length: body.length, body, headers: { 'content-type': BYTES_TYPE, ...headers } });
  const download = (folder: Folder, name: string) =>
    fetch(`${app.baseUrl}${OBJECT}/public/unlocked-folders/${folder.bucket_storage_path}/${name}`);
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
    const [account, tus] = await newPerson();
    const folder = await makeFolder(app, account);
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
    const [account, tus] = await newPerson();
    const folder = await makeFolder(app, account);
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
    const [account, tus] = await newPerson();
    const folder = await makeFolder(app, account);
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
    const [account, tus] = await newPerson();
    const folder = await makeFolder(app, account);
    const name = freshName();
    const url = (await send(tus, folder, name)).headers.get('location')!;
    expect(await tus.offsetOf(url)).toBe(LENGTH);
    expect((await tus.patch(url, LENGTH, '')).status).toBe(204);
    expect((await tus.terminate(url)).status).toBe(204);
    expect((await download(folder, name)).status).toBe(404);
    expect(await accountOf(app, account)).toEqual({ used: 0, reserved: 0 });
  });

  test('of files at once, each has its own answer: a taken name, one name twice, a full quota', async () => {
    const [account, tus] = await newPerson();
    const folder = await makeFolder(app, account);
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
    const [account, tus] = await newPerson();
    const folder = await makeFolder(app, account);
    await tus.create({ folder, name: freshName(), length: 10 });
    const answers = await Promise.all(Array.from({ length: 70 }, () => send(tus, folder, freshName(), someBytes(10))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(59);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(new Set(await Promise.all(refused.map(codeOf)))).toEqual(new Set(['upload.too_many_files']));
  });

  test('with x-upsert a file replaces the one of its name, whose bytes are free again', async () => {
    const [account, tus] = await newPerson();
    const folder = await makeFolder(app, account);
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
    const [account, tus] = await newPerson();
    const folder = await makeFolder(app, account);
    const bytes = someBytes(LENGTH);
    const checksum = (hex: string) => ({ 'upload-checksum': `sha256 ${Buffer.from(hex, 'hex').toString('base64')}` });
    const before = (await storedBlobs(app)).length;
    const wrong = await send(tus, folder, freshName(), bytes, checksum('00'.repeat(32)));
    expect([wrong.status, await codeOf(wrong)]).toEqual([460, 'upload.checksum_mismatch']);
    expect((await storedBlobs(app)).length).toBe(before);
    expect((await send(tus, folder, freshName(), bytes, checksum(sha256(bytes)))).status).toBe(201);
  });

  test('a denied file is refused, and those that came with it are stored', async () => {
    const [account, tus] = await newPerson();
    const folder = await makeFolder(app, account);
    const denied = someBytes(777);
    await app.database.db.insert(denied_blobs).values({ sha256: sha256(denied), size_bytes: 777, reason: 'malware' });
    const bodies = [someBytes(777), denied, someBytes(778)];
    const answers = await Promise.all(bodies.map((body) => send(tus, folder, freshName(), body)));
    expect(answers.map(({ status }) => status === 201)).toEqual([true, false, true]);
    expect(await codeOf(answers[1]!)).toBe('upload.denied');
    expect(await queued()).toEqual([]);
  });

  test('a sender that leaves before its last byte leaves nothing behind', async () => {
    const [account, tus] = await newPerson();
    const folder = await makeFolder(app, account);
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
    const [account, tus] = await newPerson();
    const folder = await makeFolder(app, account);
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
    const [account, tus] = await newPerson();
    const folder = await makeFolder(app, account);
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
    const [account] = await newPerson();
    const folder = await makeFolder(app, account);
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
