import { appendFile, truncate } from 'node:fs/promises';
import { KIB, MIB } from '@satchel/contract/limits';
import { UPLOAD_SOCKET_PATH } from '@satchel/contract/upload-socket';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { TIMEOUTS } from '../../src/http/timeouts.ts';
import {
  blobBytes,
  blobPath,
  createTus,
  createUploadOf,
  deleteFolder,
  expectChecksums,
  expectExactSums,
  expire,
  freshName,
  makeFolder,
  openPatch,
  sha256,
  someBytes,
  storedBlobs,
  untilHeld,
  untilOffset,
  uploadState,
} from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';
import { idOf, openSocket, sendIn } from '../support/uploads/socket-kit.ts';

const app = await createTestApp();
const mika = await app.signIn('mika');
const tus = createTus(app, mika);
const begin = (length: number) => createUploadOf(app, mika, length);

afterEach(() => expectExactSums(app));
afterAll(() => expectChecksums(app));

describe('the upload socket', () => {
  test('takes a file whole: ready, acknowledgements, done', async () => {
    const { bytes, url, content } = await begin(20 * MIB);
    const client = await openSocket(app);
    client.begin(url, 0, mika);
    expect(await client.heard('ready')).toEqual({ ready: 0 });
    sendIn(client, bytes);
    expect(await client.heard('done')).toEqual({ done: bytes.length });
    expect(await client.closed).toEqual({ code: 1000, reason: '' });
    expect(sha256(await content())).toBe(sha256(bytes));
  });

  test('gives the memory of each read back once its bytes are written', async () => {
    const reads: Buffer[] = [];
    app.server.once('upgrade', (_request, socket) => socket.on('data', (read: Buffer) => reads.push(read)));
    const { bytes, url } = await begin(20 * MIB);
    const client = await openSocket(app);
    client.begin(url, 0, mika);
    await client.heard('ready');
    sendIn(client, bytes);
    await client.heard('done');
    expect(reads.length).toBeGreaterThan(20);
    expect(reads.map(({ buffer }) => buffer.byteLength).filter((length) => length > 0)).toEqual([]);
  });

  test('continues where a cut one stopped, and an acknowledged byte is never lost', async () => {
    const { bytes, url, content } = await begin(30 * MIB);
    const first = await openSocket(app);
    first.begin(url, 0, mika);
    await first.heard('ready');
    sendIn(first, bytes.subarray(0, 20 * MIB));
    const { ack = 0 } = await first.heard('ack');
    first.socket.close();
    await first.closed;
    const offset = await tus.offsetOf(url);
    expect(offset).toBeGreaterThanOrEqual(ack);
    const second = await openSocket(app);
    second.begin(url, offset, mika);
    await second.heard('ready');
    sendIn(second, bytes.subarray(offset));
    await second.heard('done');
    expect(sha256(await content())).toBe(sha256(bytes));
  });

  test('acknowledges only what the database has', async () => {
    const { bytes, url } = await begin(30 * MIB);
    const client = await openSocket(app);
    client.begin(url, 0, mika);
    await client.heard('ready');
    sendIn(client, bytes.subarray(0, 20 * MIB));
    const { ack = 0 } = await client.heard('ack');
    expect((await uploadState(app, url)).offset_bytes).toBeGreaterThanOrEqual(ack);
    client.socket.close();
    await client.closed;
  });

  test('is taken over by a PATCH at its offset, by HEAD, and by another socket; each older one learns it', async () => {
    const { bytes, url, content } = await begin(6 * MIB);
    const first = await openSocket(app);
    first.begin(url, 0, mika);
    await first.heard('ready');
    expect((await tus.patch(url, 0, bytes.subarray(0, MIB))).status).toBe(204);
    expect(await first.heard('error')).toMatchObject({ error: { code: 'upload.lost_lease', status: 409 } });
    expect((await first.closed).code).toBe(4409);
    const second = await openSocket(app);
    second.begin(url, MIB, mika);
    await second.heard('ready');
    expect(await tus.offsetOf(url)).toBe(MIB);
    expect((await second.closed).code).toBe(4409);
    const third = await openSocket(app);
    third.begin(url, MIB, mika);
    await third.heard('ready');
    const fourth = await openSocket(app);
    fourth.begin(url, MIB, mika);
    await fourth.heard('ready');
    expect((await third.closed).code).toBe(4409);
    sendIn(fourth, bytes.subarray(MIB));
    await fourth.heard('done');
    expect(sha256(await content())).toBe(sha256(bytes));
  });

  test('takes over a PATCH', async () => {
    const { bytes, url, content } = await begin(2 * MIB);
    const patch = openPatch(tus, url, 0, bytes.length);
    await patch.send(bytes.subarray(0, 1000));
    await untilHeld(app, url);
    const client = await openSocket(app);
    client.begin(url, 0, mika);
    await client.heard('ready');
    expect(await patch.outcome).toMatchObject({ status: 409 });
    sendIn(client, bytes);
    await client.heard('done');
    expect(sha256(await content())).toBe(sha256(bytes));
  });

  test('of a complete upload is done at once', async () => {
    const { bytes, url } = await begin(MIB);
    expect((await tus.patch(url, 0, bytes)).status).toBe(204);
    const client = await openSocket(app);
    client.begin(url, MIB, mika);
    expect(await client.heard('done')).toEqual({ done: MIB });
  });

  test('of a deleted folder ends as gone', async () => {
    const { url, folder, bytes } = await begin(4 * MIB);
    const client = await openSocket(app);
    client.begin(url, 0, mika);
    await client.heard('ready');
    await deleteFolder(app, mika, folder);
    sendIn(client, bytes);
    expect(await client.heard('error')).toMatchObject({ error: { code: 'upload.gone', status: 410 } });
  });

  test('is logged once, with bytes and no address', async () => {
    const { bytes, url } = await begin(MIB);
    const client = await openSocket(app);
    client.begin(url, 0, mika);
    await client.heard('ready');
    sendIn(client, bytes);
    await client.heard('done');
    await client.closed;
    const lines = app.log.map((line) => JSON.parse(line)).filter(({ route }) => route === UPLOAD_SOCKET_PATH);
    expect(lines.at(-1)).toMatchObject({ method: 'GET', status: 200, bytes: MIB, msg: 'answered' });
    expect(app.log.join('')).not.toContain(idOf(url));
  });
});

describe('the end of a server', () => {
  test('keeps what its sockets have brought, and says to come again', async () => {
    const app = await createTestApp();
    const mika = await app.signIn('mika');
    const tus = createTus(app, mika);
    const url = await tus.create({ folder: await makeFolder(app, mika), name: freshName(), length: 4 * MIB });
    const waiting = await openSocket(app);
    const sending = await openSocket(app);
    sending.begin(url, 0, mika);
    await sending.heard('ready');
    sendIn(sending, someBytes(2 * MIB));
    await untilOffset(app, url, (offset) => offset > 0);
    const [{ code }, { code: sendingCode }] = await Promise.all([waiting.closed, sending.closed, app.close()]);
    expect([code, sendingCode]).toEqual([4503, 4503]);
  });
});

describe('requests for one upload at once', () => {
  test('HEAD takes over: the older request is cut, and every byte that came counts', async () => {
    const { bytes, url, content } = await begin(5 * MIB);
    const older = openPatch(tus, url, 0, bytes.length);
    await older.send(bytes.subarray(0, 3 * MIB + 5));
    await untilOffset(app, url, (offset) => offset > 0);
    const offset = await tus.offsetOf(url);
    expect(offset).toBe(3 * MIB + 5);
    expect(await older.outcome).toMatchObject({ status: 409, body: expect.stringContaining('upload.lost_lease') });
    expect((await tus.patch(url, offset, bytes.subarray(offset))).status).toBe(204);
    expect(sha256(await content())).toBe(sha256(bytes));
  });

  test('a PATCH at the same offset takes over: one winner, and the loser’s bytes do not show', async () => {
    const { bytes, url, content } = await begin(2 * MIB);
    const loser = openPatch(tus, url, 0, bytes.length);
    await loser.send(someBytes(600 * KIB));
    await untilHeld(app, url);
    expect((await tus.patch(url, 0, bytes)).status).toBe(204);
    expect(await loser.outcome).toMatchObject({ status: 409 });
    expect(sha256(await content())).toBe(sha256(bytes));
  });

  test('a PATCH at another offset is 409 and disturbs no other', async () => {
    const { bytes, url, content } = await begin(2 * MIB);
    const running = openPatch(tus, url, 0, bytes.length);
    await running.send(bytes.subarray(0, MIB));
    expect((await tus.patch(url, 77, 'late')).status).toBe(409);
    await running.send(bytes.subarray(MIB));
    running.end();
    expect(await running.outcome).toMatchObject({ status: 204 });
    expect(sha256(await content())).toBe(sha256(bytes));
  });

  test('of many at once exactly one wins, and the file is the winner’s', async () => {
    const { url, content } = await begin(MIB);
    const bodies = Array.from({ length: 8 }, (_, index) => Buffer.alloc(MIB, index + 1));
    const answers = await Promise.all(bodies.map((body) => tus.patch(url, 0, body)));
    const winners = bodies.filter((_, index) => answers[index]!.status === 204);
    expect(winners).toHaveLength(1);
    expect(answers.every(({ status }) => [204, 409, 423].includes(status))).toBe(true);
    expect(Buffer.compare(await content(), winners[0]!)).toBe(0);
  });

  test('a dropped connection loses no acknowledged byte, and the rest continues from there', async () => {
    const { bytes, url, content } = await begin(20 * MIB);
    const dropped = openPatch(tus, url, 0, bytes.length);
    await dropped.send(bytes.subarray(0, 18 * MIB));
    const acked = await untilOffset(app, url, (offset) => offset >= 8 * MIB);
    dropped.abort();
    expect(await dropped.outcome).toBe('cut');
    const offset = await tus.offsetOf(url);
    expect(offset).toBeGreaterThanOrEqual(acked);
    expect(offset).toBeLessThanOrEqual(18 * MIB);
    const { blob_key } = await uploadState(app, url);
    expect(await blobBytes(app, blob_key)).toBeGreaterThanOrEqual(offset);
    expect((await tus.patch(url, offset, bytes.subarray(offset))).status).toBe(204);
    expect(sha256(await content())).toBe(sha256(bytes));
  });

  test('any bytes beyond the acknowledged offset are overwritten', async () => {
    const { bytes, url, content } = await begin(MIB);
    const first = await tus.patch(url, 0, bytes.subarray(0, 1000));
    expect(first.status).toBe(204);
    const { blob_key } = await uploadState(app, url);
    // As a process leaves them that is killed between writing and acknowledging.
    await appendFile(blobPath(app, blob_key), someBytes(2 * MIB));
    expect(await tus.offsetOf(url)).toBe(1000);
    expect((await tus.patch(url, 1000, bytes.subarray(1000))).status).toBe(204);
    expect(await blobBytes(app, blob_key)).toBe(MIB);
    expect(sha256(await content())).toBe(sha256(bytes));
  });

  test('an upload whose acknowledged bytes are missing is gone, and its sender starts again', async () => {
    const { url } = await begin(MIB);
    expect((await tus.patch(url, 0, someBytes(1000))).status).toBe(204);
    const { blob_key } = await uploadState(app, url);
    await truncate(blobPath(app, blob_key), 500);
    expect((await tus.patch(url, 1000, someBytes(10))).status).toBe(410);
    expect((await tus.head(url)).status).toBe(410);
    expect(await storedBlobs(app)).not.toContain(blob_key);
  });

  test('termination cuts the request under way', async () => {
    const { bytes, url } = await begin(3 * MIB);
    const running = openPatch(tus, url, 0, bytes.length);
    await running.send(bytes.subarray(0, MIB));
    await untilHeld(app, url);
    expect((await tus.terminate(url)).status).toBe(204);
    expect(await running.outcome).toMatchObject({ status: 410 });
    expect((await tus.head(url)).status).toBe(404);
  });

  test('a folder that expires in the middle: 410', async () => {
    const { folder, bytes, url } = await begin(3 * MIB);
    const running = openPatch(tus, url, 0, bytes.length);
    await running.send(bytes.subarray(0, MIB));
    await expire(app, folder);
    await running.send(bytes.subarray(MIB));
    running.end();
    expect(await running.outcome).toMatchObject({ status: 410, body: expect.stringContaining('folder.expired') });
  });

  test('an upload answers nothing before its checksum is known, not even a HEAD', async () => {
    const { bytes, url } = await begin(2 * MIB);
    const checked = openPatch(tus, url, 0, bytes.length, {
      'upload-checksum': `sha1 ${Buffer.alloc(20).toString('base64')}`,
    });
    await checked.send(bytes.subarray(0, MIB));
    await untilHeld(app, url);
    expect(await tus.offsetOf(url)).toBe(0);
    expect(await checked.outcome).toMatchObject({ status: 409 });
  });
});

test('a server that stops keeps the bytes of an upload that does not end in time, and tells its sender to try again', async () => {
  const app = await createTestApp({ deps: { timeouts: { ...TIMEOUTS, uploadEndMs: 100 } } });
  const mika = await app.signIn('mika');
  const tus = createTus(app, mika);
  const folder = await makeFolder(app, mika);
  const url = await tus.create({ folder, name: 'stopped_1700000000000_abcdefgh.bin', length: 3 * MIB });
  const running = openPatch(tus, url, 0, 3 * MIB);
  await running.send(someBytes(2 * MIB));
  await untilOffset(app, url, (offset) => offset > 0);
  let offset = 0;
  const closing = app.deps.database.close;
  Object.assign(app.deps.database, {
    close: async () => {
      offset = await untilOffset(app, url, () => true);
      await closing();
    },
  });
  await app.close();
  expect(offset).toBe(2 * MIB);
  expect(await running.outcome).toMatchObject({ status: 503 });
});
