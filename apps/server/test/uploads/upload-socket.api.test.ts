import { MIB } from '@satchel/contract/limits';
import { UPLOAD_SOCKET_PATH } from '@satchel/contract/upload-socket';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import {
  createTus,
  createUploadOf,
  deleteFolder,
  expectChecksums,
  expectExactSums,
  freshName,
  makeFolder,
  openPatch,
  sha256,
  someBytes,
  untilHeld,
  untilOffset,
  uploadState,
} from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';
import { idOf, openSocket, sendIn } from '../support/uploads/socket-kit.ts';

const app = await createTestApp();
const mika = await app.signIn('mika');
const tus = createTus(app, mika);

describe('the upload socket', () => {
  afterEach(() => expectExactSums(app));
  afterAll(() => expectChecksums(app));

  const begin = (length: number) => createUploadOf(app, mika, length);

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

  test('goes on where a cut one stopped, and an acknowledged byte is never lost', async () => {
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
