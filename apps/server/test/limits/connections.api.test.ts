import { connect, type Socket } from 'node:net';
import type { Folder } from '@satchel/contract/entities';
import { MIB } from '@satchel/contract/limits';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { DescriptorLimits } from '../../src/domain/base/descriptor-budget.ts';
import { parseAnswer, type RawAnswer } from '../support/raw-http.ts';
import { createTus, freshName, makeFolder, OBJECT, someBytes, upload } from '../support/storage-kit.ts';
import { type Account, createTestApp, type TestApp } from '../support/test-app.ts';

/** One network holds only its share of connections and transfers. Others keep working, and what it held is freed. */

const [ATTACKER, STRANGER] = ['127.0.0.1', '127.0.0.2'];
const BEHIND_PROXY = { TRUST_PROXY: '127.0.0.1' };
const FILE_BYTES = 24 * MIB;

let app: TestApp;
let mika: Account;
let folder: Folder;
let filePath: string;
const sockets: Socket[] = [];

async function start(limits: Partial<DescriptorLimits>, env: Record<string, string> = {}): Promise<void> {
  app = await createTestApp({
    env,
    deps: {
      descriptorLimits: { connections: 1000, transfers: 500, perNetwork: 500, transfersPerNetwork: 500, ...limits },
    },
  });
  mika = await app.signIn('mika');
  folder = await makeFolder(app, mika);
}
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** A file larger than all buffers, so that its transfer lasts while its reader does not read. */
async function storeFile(): Promise<void> {
  const tus = createTus(app, mika);
  const name = freshName();
  await upload(tus, folder, name, someBytes(FILE_BYTES));
  filePath = `${OBJECT}/public/unlocked-folders/${folder.bucket_storage_path}/${name}`;
}

/** @param client the address that a proxy would name */
const head = (path: string, client?: string) =>
  [`GET ${path} HTTP/1.1`, 'host: x', ...(client ? [`x-forwarded-for: ${client}`] : []), '', ''].join('\r\n');

function open(from: string): Socket {
  const socket = connect({ port: app.config.port, host: '127.0.0.1', localAddress: from });
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

/** Opens an idle connection, and resolves once the server has it. */
async function openIdle(from: string): Promise<Socket> {
  const before = await connections();
  const socket = open(from);
  await expect.poll(connections).toBeGreaterThan(before);
  return socket;
}
const connections = () =>
  new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count)));

/** The first answer on a connection; null if it closes without one. */
function firstAnswer(socket: Socket): Promise<RawAnswer | null> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes]);
      const answer = parseAnswer(received);
      if (answer && answer.body.length >= Number(answer.headers.get('content-length') ?? 0)) resolve(answer);
    });
    socket.on('close', () => resolve(parseAnswer(received)));
  });
}
function ask(from: string, path: string, client?: string): Promise<RawAnswer | null> {
  const socket = open(from);
  const answer = firstAnswer(socket);
  socket.write(head(path, client));
  return answer;
}
/** Requests the file, and reads only the answer's beginning. */
async function openReader(client?: string): Promise<{ status: number | undefined; socket: Socket }> {
  const socket = open(ATTACKER);
  const begun = new Promise<Buffer>((resolve) => socket.once('data', resolve));
  socket.write(head(filePath, client));
  const bytes = await begun;
  socket.pause();
  return { status: Number(bytes.subarray(9, 12).toString()), socket };
}

/** What a network has too much of is 429; 503 is what the server itself has no more of. */
function expectRefusal(answer: RawAnswer | null, code: 'request.crowded' | 'request.busy'): void {
  expect(answer?.status).toBe(code === 'request.crowded' ? 429 : 503);
  expect(Number(answer?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(JSON.parse(String(answer?.body))).toMatchObject({ error: { code } });
}

describe('connections', () => {
  test('above a network’s share get 429 with the time to wait; another network keeps working', async () => {
    await start({ perNetwork: 6 });
    for (let at = 0; at < 6; at++) await openIdle(ATTACKER);
    const refused = await ask(ATTACKER, '/healthz');
    expectRefusal(refused, 'request.crowded');
    expect(refused?.headers.get('connection')).toBe('close');
    expect((await ask(STRANGER, '/healthz'))?.status).toBe(200);
  });

  test('that stay idle above it are closed, but for a few that may still get 429', async () => {
    await start({ perNetwork: 6 });
    const opened = Array.from({ length: 200 }, () => open(ATTACKER));
    await expect.poll(() => opened.filter((socket) => socket.closed).length).toBeGreaterThanOrEqual(178);
    expect(await connections()).toBeLessThanOrEqual(6 + 16);
    expect((await ask(STRANGER, '/healthz'))?.status).toBe(200);
  });

  test('that are closed make room at once', async () => {
    await start({ perNetwork: 2 });
    const held = [await openIdle(ATTACKER), await openIdle(ATTACKER)];
    expect((await ask(ATTACKER, '/healthz'))?.status).toBe(429);
    for (const socket of held) socket.destroy();
    await expect.poll(async () => (await ask(ATTACKER, '/healthz'))?.status).toBe(200);
  });

  test('of a trusted proxy don’t count; its requests count for the client that it names', async () => {
    await start({ perNetwork: 2 }, BEHIND_PROXY);
    await storeFile();
    for (let at = 0; at < 8; at++) await openIdle(ATTACKER);
    const reader = await openReader('192.0.2.1');
    expect(reader.status).toBe(200);
    expectRefusal(await ask(ATTACKER, '/healthz', '192.0.2.1'), 'request.crowded');
    expect((await ask(ATTACKER, '/healthz', '192.0.2.2'))?.status).toBe(200);
    reader.socket.destroy();
    await expect.poll(async () => (await ask(ATTACKER, '/healthz', '192.0.2.1'))?.status).toBe(200);
  });

  test('of a client that names itself count for its own address if no proxy is trusted', async () => {
    await start({ perNetwork: 2 });
    for (let at = 0; at < 2; at++) await openIdle(ATTACKER);
    expectRefusal(await ask(ATTACKER, '/healthz', '192.0.2.2'), 'request.crowded');
  });
});

describe('transfers', () => {
  test('of readers who read nothing count; above the share they get 429, and others read and upload on', async () => {
    await start({ perNetwork: 6 }, BEHIND_PROXY);
    await storeFile();
    // Each is a request and a transfer.
    for (let at = 0; at < 3; at++) expect((await openReader('192.0.2.1')).status).toBe(200);
    expectRefusal(await ask(ATTACKER, filePath, '192.0.2.1'), 'request.crowded');
    const other = { 'x-forwarded-for': '192.0.2.2' };
    const whole = await fetch(app.baseUrl + filePath, { headers: other });
    expect((await whole.arrayBuffer()).byteLength).toBe(FILE_BYTES);
    const tus = createTus(app, mika);
    const url = await tus.create({ folder, name: freshName(), length: 1000, headers: other });
    expect((await tus.patch(url, 0, someBytes(1000), other)).status).toBe(204);
  });

  test('have their own limit, beside which their network still gets pages', async () => {
    await start({ transfersPerNetwork: 2 });
    await storeFile();
    for (let at = 0; at < 2; at++) expect((await openReader()).status).toBe(200);
    expectRefusal(await ask(ATTACKER, filePath), 'request.crowded');
    expect((await ask(ATTACKER, '/healthz'))?.status).toBe(200);
    const end = 'range: bytes=0-9\r\n\r\n';
    const stranger = open(STRANGER);
    const answer = firstAnswer(stranger);
    stranger.write(head(filePath).slice(0, -2) + end);
    expect((await answer)?.status).toBe(206);
  });

  test('above the limit for all get 503, an upload resumes, and descriptors come back', async () => {
    await start({ transfers: 3 }, BEHIND_PROXY);
    await storeFile();
    const real = app.deps.blobs.open;
    let held = 0;
    vi.spyOn(app.deps.blobs, 'open').mockImplementation(async (...what) => {
      const blob = await real(...what);
      held++;
      return { ...blob, close: () => blob.close().finally(() => held--) };
    });
    const readers = [await openReader('192.0.2.1'), await openReader('192.0.2.2'), await openReader('192.0.2.3')];
    expect(readers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expectRefusal(await ask(ATTACKER, filePath, '192.0.2.4'), 'request.busy');
    const tus = createTus(app, mika);
    const url = await tus.create({ folder, name: freshName(), length: 1000 });
    const refused = await tus.patch(url, 0, someBytes(1000));
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ error: { code: 'request.busy' } });
    expect(held).toBe(3);
    for (const { socket } of readers) socket.destroy();
    await expect.poll(() => held).toBe(0);
    expect(await tus.offsetOf(url)).toBe(0);
    expect((await tus.patch(url, 0, someBytes(1000))).status).toBe(204);
  });

  test('that wait for their turn on a connection hold nothing once it is dropped', async () => {
    await start({ perNetwork: 30 }, BEHIND_PROXY);
    await storeFile();
    const { socket } = await openReader('192.0.2.1');
    socket.write(head(filePath, '192.0.2.1').repeat(20));
    await expect.poll(async () => (await ask(ATTACKER, '/healthz', '192.0.2.1'))?.status).toBe(200);
    socket.destroy();
    const readers = [];
    for (let at = 0; at < 15; at++) readers.push((await openReader('192.0.2.1')).status);
    expect(readers).toEqual(Array(15).fill(200));
  });
});
