import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { Folder } from '@satchel/contract/entities';
import { KIB, MIB } from '@satchel/contract/limits';
import { UPLOAD_SOCKET_PATH } from '@satchel/contract/upload-socket';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TRANSFERS_OF_ACCOUNT } from '../../src/domain/base/descriptor-budget.ts';
import { TIMEOUTS } from '../../src/http/timeouts.ts';
import { createMetrics, type Metrics } from '../../src/platform/metrics/metrics.ts';
import { parseAnswer, talk } from '../support/raw-http.ts';
import { createTus, freshName, makeFolder, someBytes, type Tus } from '../support/storage-kit.ts';
import { type Account, createTestApp, type TestApp } from '../support/test-app.ts';
import {
  clientFrame,
  type FrameOptions,
  handshake,
  idOf,
  openSocket,
  type SocketClient,
  type SocketMessage,
  sendIn,
} from '../support/uploads/socket-kit.ts';

/** Clients that break the protocol end in their codes, and cost others nothing: each test ends with a whole upload. */

interface RawSocket {
  readonly socket: Socket;
  /** Resolves when the server takes bytes. */
  readonly ready: Promise<void>;
  send(opcode: number, payload: Uint8Array | string, options?: FrameOptions): void;
  /** What the server said until it closed: its last message, and the code that it closed with. */
  readonly end: Promise<{ said: SocketMessage; code: number | null }>;
}

/** Frames of the server in what was received after the handshake. */
function framesIn(received: Buffer): { opcode: number; payload: Buffer }[] {
  const frames = [];
  for (let at = received.indexOf('\r\n\r\n') + 4; at + 2 <= received.length; ) {
    const short = received[at + 1]!;
    const from = at + (short === 126 ? 4 : 2);
    const length = short === 126 ? received.readUInt16BE(at + 2) : short;
    frames.push({ opcode: received[at]! & 15, payload: received.subarray(from, from + length) });
    at = from + length;
  }
  return frames;
}

/** A client that speaks frames byte for byte, to send what no browser would. */
async function openRawSocket(app: TestApp): Promise<RawSocket> {
  const socket = connect({ port: app.config.port, host: '127.0.0.1', allowHalfOpen: true });
  const received: Buffer[] = [];
  socket.on('error', () => undefined);
  const ready = Promise.withResolvers<void>();
  // All before the first byte is sent: a connection that soon ends may end before a late listener.
  const opened = new Promise((resolve) => socket.once('data', resolve));
  socket.on('data', (bytes) => {
    received.push(bytes);
    const frames = framesIn(Buffer.concat(received));
    if (frames.some(({ payload }) => payload.includes('"ready"'))) ready.resolve();
    const close = frames.find(({ opcode }) => opcode === 8);
    // RFC 6455 §5.5.1: the answer to a Close frame, with which the server ends the connection.
    if (close && socket.writable) socket.end(clientFrame(8, close.payload));
  });
  const end = new Promise<{ said: SocketMessage; code: number | null }>((resolve) => {
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      const frames = framesIn(Buffer.concat(received));
      const texts = frames.filter(({ opcode }) => opcode === 1);
      const close = frames.find(({ opcode }) => opcode === 8);
      resolve({
        said: JSON.parse(texts.at(-1)?.payload.toString() ?? '{}'),
        code: close ? close.payload.readUInt16BE(0) : null,
      });
    });
  });
  socket.write(handshake(app));
  await opened;
  return {
    socket,
    end,
    ready: ready.promise,
    send: (opcode, payload, options) => socket.write(clientFrame(opcode, Buffer.from(payload), options)),
  };
}

const HURRIED = { ...TIMEOUTS, senderRate: { windowMs: 300, minBytes: 64 * KIB } };

let app: TestApp;
let mika: Account;
let tus: Tus;
let folder: Folder;
let clients: SocketClient[];

/** Tests without settings of their own share an app. */
const shared = await createTestApp();
const jonas = await shared.signIn('jonas');

async function start(options?: Parameters<typeof createTestApp>[0]): Promise<void> {
  app = options ? await createTestApp(options) : shared;
  mika = await app.signIn('mika');
  tus = createTus(app, mika);
  folder = await makeFolder(app, mika);
}
beforeEach(() => {
  clients = [];
});
afterEach(async () => {
  await uploadWhole();
  for (const { socket } of clients) socket.close();
  // Neither a bearer nor an address of an upload is ever logged.
  const log = app.log.join('');
  expect(log).not.toContain(mika.bearer);
});

const newUpload = (length = 4 * MIB) => tus.create({ folder, name: freshName(), length });

async function open(): Promise<SocketClient> {
  const client = await openSocket(app);
  clients.push(client);
  return client;
}

async function uploadWhole(): Promise<void> {
  const url = await newUpload(3 * MIB);
  const client = await open();
  client.begin(url, 0, mika);
  await client.heard('ready');
  sendIn(client, someBytes(3 * MIB));
  expect(await client.heard('done')).toEqual({ done: 3 * MIB });
}

const begin = (url: string, token = mika.bearer, offset: unknown = 0) =>
  JSON.stringify({ id: idOf(url), offset, token });

const statusOf = (received: Buffer): number => Number(received.subarray(9, 12).toString());

/** Raw client that has begun. */
async function begun(length?: number) {
  const url = await newUpload(length);
  const raw = await openRawSocket(app);
  raw.send(1, begin(url));
  await raw.ready;
  return { url, ...raw };
}

describe('a handshake', () => {
  test.each([
    ['of a foreign origin', { origin: 'https://evil.example' }, 403, 'request.bad_origin'],
    ['of an opaque origin', { origin: 'null' }, 403, 'request.bad_origin'],
    ['without an origin', { origin: null }, 403, 'request.bad_origin'],
    ['of another version of the protocol', { 'sec-websocket-protocol': 'satchel.upload.0' }, 400, 'request.invalid'],
    ['without a protocol', { 'sec-websocket-protocol': null }, 400, 'request.invalid'],
    ['of another WebSocket', { 'sec-websocket-version': '8' }, 400, 'request.invalid'],
    ['with a malformed key', { 'sec-websocket-key': 'short' }, 400, 'request.invalid'],
    ['to something else', { upgrade: 'h2c' }, 400, 'request.invalid'],
    ['that is none', { upgrade: null, connection: 'close' }, 400, 'request.invalid'],
  ])('%s is refused', async (_name, headers, status, code) => {
    await start();
    const answer = parseAnswer(await talk(app.config.port, handshake(app, headers)));
    expect(answer?.status).toBe(status);
    expect(JSON.parse(String(answer?.body))).toMatchObject({ error: { code } });
  });

  test('that asks for another path to be upgraded gets that path’s answer', async () => {
    await start();
    const head = handshake(app).replace(UPLOAD_SOCKET_PATH, '/healthz').replace('Upgrade\r\n', 'Upgrade, close\r\n');
    expect(parseAnswer(await talk(app.config.port, head))?.status).toBe(200);
  });

  test('above the rate limit of uploads is refused, and says when to come again', async () => {
    const rateLimits = { upload_bytes: [{ max: 2, seconds: 60 }] };
    await start({ env: { TRUST_PROXY: '127.0.0.1' }, deps: { rateLimits } });
    const ask = () => talk(app.config.port, handshake(app, { origin: null, 'x-forwarded-for': '192.0.2.1' }));
    expect([statusOf(await ask()), statusOf(await ask())]).toEqual([403, 403]);
    const refused = parseAnswer(await ask());
    expect(refused?.status).toBe(429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(JSON.parse(String(refused?.body))).toMatchObject({ error: { code: 'upload.throttled' } });
  });
});

describe('a first message', () => {
  test('that does not come in time ends the connection', async () => {
    await start({ deps: { timeouts: { ...TIMEOUTS, socketBeginMs: 300 } } });
    const { end } = await openRawSocket(app);
    expect(await end).toMatchObject({ said: { error: { code: 'request.timeout', status: 408 } }, code: 4408 });
  });

  test('that comes byte by byte does not come in time either', async () => {
    await start({ deps: { timeouts: { ...TIMEOUTS, socketBeginMs: 300 } } });
    const frame = clientFrame(1, Buffer.from(begin(await newUpload())));
    const { socket, end } = await openRawSocket(app);
    let at = 0;
    const drip = setInterval(() => socket.write(frame.subarray(at, ++at)), 20);
    expect(await end).toMatchObject({ said: { error: { code: 'request.timeout', status: 408 } }, code: 4408 });
    clearInterval(drip);
  });

  test.each([
    ['that is no JSON', () => 'begin!', 4400, 'request.invalid'],
    ['without fields', () => 'null', 4400, 'request.invalid'],
    ['with a negative offset', (url: string) => begin(url, mika.bearer, -1), 4400, 'request.invalid'],
    ['with a broken offset', (url: string) => begin(url, mika.bearer, 1.5), 4400, 'request.invalid'],
    ['of an id that is none', () => begin('x'), 4404, 'upload.not_found'],
    ['of an unknown upload', () => begin(randomUUID()), 4404, 'upload.not_found'],
    ['for another person’s upload', (url: string) => begin(url, jonas.bearer), 4404, 'upload.not_found'],
    ['at another offset', (url: string) => begin(url, mika.bearer, 5), 4409, 'upload.wrong_offset'],
    ['with a made-up bearer', (url: string) => begin(url, `${mika.bearer}x`), 4401, 'upload.unauthenticated'],
    ['above 4 KiB', (url: string) => begin(url, 'x'.repeat(5000)), 1009, 'request.too_large'],
  ])('%s is refused', async (_name, text, closeCode, code) => {
    await start();
    const raw = await openRawSocket(app);
    raw.send(1, text(await newUpload()));
    expect(await raw.end).toMatchObject({ said: { error: { code } }, code: closeCode });
  });

  test('is not bytes', async () => {
    await start();
    const raw = await openRawSocket(app);
    raw.send(2, someBytes(1000));
    expect(await raw.end).toMatchObject({ said: { error: { code: 'request.invalid' } }, code: 4400 });
  });

  test('is one: a second one ends the upload, and what came before it counts', async () => {
    await start();
    const { url, send, end } = await begun();
    send(2, someBytes(MIB));
    send(1, begin(url));
    expect(await end).toMatchObject({ said: { error: { code: 'request.invalid' } }, code: 4400 });
    expect(await tus.offsetOf(url)).toBeLessThanOrEqual(MIB);
  });
});

describe('bytes', () => {
  test('in a text message end the upload', async () => {
    await start();
    const { send, end } = await begun();
    send(1, 'x'.repeat(1000));
    expect(await end).toMatchObject({ said: { error: { code: 'request.invalid' } }, code: 4400 });
  });

  test('in an oversized frame end it before they are read', async () => {
    await start();
    const { socket, end } = await begun();
    socket.write(Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0x7f, 0, 0, 0, 1, 2, 3, 4]));
    expect(await end).toMatchObject({ said: { error: { code: 'request.too_large' } }, code: 1009 });
  });

  test('beyond the upload’s length end it', async () => {
    await start();
    const { send, end, url } = await begun(10_000);
    send(2, someBytes(10_001));
    expect(await end).toMatchObject({ said: { error: { code: 'upload.length_exceeded' } }, code: 4413 });
    expect(await tus.offsetOf(url)).toBe(0);
  });

  test('one in each frame end it, without taking memory', async () => {
    await start();
    const { send, end } = await begun();
    for (let at = 0; at < 3000; at += 1) send(2, new Uint8Array(1));
    expect(await end).toMatchObject({ said: { error: { code: 'request.invalid' } }, code: 1008 });
  });

  test('that don’t come end it as too slow', async () => {
    await start({ deps: { timeouts: HURRIED } });
    const { end } = await begun();
    expect(await end).toMatchObject({ said: { error: { code: 'upload.too_slow', status: 408 } }, code: 4408 });
  });

  test('of a session that has ended are refused, and the connection with them', async () => {
    await start();
    const { send, end } = await begun();
    send(2, someBytes(MIB));
    await app.call('POST', '/auth/v1/logout', { as: mika });
    expect(await end).toMatchObject({ said: { error: { code: 'upload.unauthenticated' } }, code: 4401 });
    mika = await app.signIn('mika');
    tus = createTus(app, mika);
  });
});

describe('a refused socket', () => {
  test('stays open until its client has read why, also where more bytes are on their way', async () => {
    await start();
    const url = await newUpload();
    const socket = connect({ port: app.config.port, host: '127.0.0.1', allowHalfOpen: true });
    const log: string[] = [];
    const received: Buffer[] = [];
    const closing = Promise.withResolvers<void>();
    const ended = new Promise<void>((resolve) => {
      socket.on('error', (error) => log.push(String(error)));
      socket.on('end', () => log.push('the server ended it'));
      socket.on('close', () => resolve());
    });
    socket.on('data', (bytes) => {
      received.push(bytes);
      if (framesIn(Buffer.concat(received)).some(({ opcode }) => opcode === 8)) closing.resolve();
    });
    socket.write(handshake(app));
    socket.write(clientFrame(1, Buffer.from(begin(url, mika.bearer, 5))));
    await closing.promise;
    // What a client has sent before it hears of the refusal; a HEAD's answer comes after the server has read it.
    for (let at = 0; at < 20; at += 1) socket.write(clientFrame(2, someBytes(64 * KIB)));
    expect(await tus.offsetOf(url)).toBe(0);
    expect(log).toEqual([]);
    log.push('the client closes');
    socket.end(clientFrame(8, Buffer.from([0x11, 0x39])));
    await ended;
    expect(log).toEqual(['the client closes', 'the server ended it']);
  });
});

describe('many sockets', () => {
  /** The server hears of it a moment later, and counts them until then. */
  async function cut(sockets: readonly Socket[], { openTransfers }: Metrics): Promise<void> {
    for (const socket of sockets) socket.destroy();
    const uploads = async () => (await openTransfers.get()).values.find(({ labels }) => labels.kind === 'upload');
    await expect.poll(async () => (await uploads())?.value).toBe(0);
  }

  test('of one client: 200 are held to its share, none outlives its first message, and another client uploads', async () => {
    const descriptorLimits = { connections: 2000, transfers: 500, perNetwork: 20, transfersPerNetwork: 4 };
    await start({
      env: { TRUST_PROXY: '127.0.0.1' },
      deps: { descriptorLimits, timeouts: { ...TIMEOUTS, socketBeginMs: 300 } },
    });
    const ask = async () => statusOf(await talk(app.config.port, handshake(app, { 'x-forwarded-for': '192.0.2.1' })));
    const statuses = await Promise.all(Array.from({ length: 200 }, ask));
    const count = (status: number) => statuses.filter((one) => one === status).length;
    expect(count(101)).toBeGreaterThanOrEqual(20);
    expect(count(429)).toBeGreaterThan(0);
    expect(count(101) + count(429)).toBe(200);
    await expect.poll(ask).toBe(101);
  });

  test('that send count as transfers of their network', async () => {
    const metrics = createMetrics();
    const descriptorLimits = { connections: 200, transfers: 50, perNetwork: 100, transfersPerNetwork: 2 };
    await start({ deps: { metrics, descriptorLimits } });
    const holding = [];
    for (let at = 0; at < TRANSFERS_OF_ACCOUNT; at += 1) holding.push((await begun()).socket);
    const raw = await openRawSocket(app);
    raw.send(1, begin(await newUpload()));
    expect(await raw.end).toMatchObject({ said: { error: { code: 'request.crowded', status: 429 } }, code: 4429 });
    await cut(holding, metrics);
  });

  test('of one account never shut out another account behind the same address', async () => {
    const metrics = createMetrics();
    const descriptorLimits = { connections: 400, transfers: 200, perNetwork: 200, transfersPerNetwork: 4 };
    await start({ deps: { metrics, descriptorLimits } });
    // More than its network has places for.
    const held = [];
    for (let at = 0; at < TRANSFERS_OF_ACCOUNT; at += 1) held.push((await begun()).socket);
    const lena = await app.signIn('lena');
    const own = createTus(app, lena);
    const url = await own.create({ folder: await makeFolder(app, lena), name: freshName(), length: 3 * MIB });
    const client = await open();
    client.begin(url, 0, lena);
    await client.heard('ready');
    sendIn(client, someBytes(3 * MIB));
    expect(await client.heard('done')).toEqual({ done: 3 * MIB });
    // By plain requests and for downloads, too.
    const plain = await own.create({ folder: await makeFolder(app, lena), name: freshName(), length: 1000 });
    expect((await own.patch(plain, 0, someBytes(1000))).status).toBe(204);
    await cut(held, metrics);
  });

  test('that answer no ping are given up, and one that only waits is kept', async () => {
    await start({ deps: { timeouts: { ...TIMEOUTS, socketPingMs: 200 } } });
    const url = await newUpload();
    const waiting = await open();
    const { end } = await openRawSocket(app);
    expect(await end).toEqual({ said: {}, code: null });
    waiting.begin(url, 0, mika);
    await waiting.heard('ready');
  });

  test('that only ping, and read nothing, are cut', async () => {
    await start();
    const { socket, send } = await openRawSocket(app);
    socket.pause();
    for (let at = 0; at < 12_000 && !socket.destroyed; at += 1) send(9, Buffer.alloc(125));
    const isCut = () => socket.resume().destroyed;
    await expect.poll(isCut).toBe(true);
  });
});
