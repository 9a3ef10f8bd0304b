import { connect, type Socket } from 'node:net';
import { MIB } from '@satchel/contract/limits';
import { describe, expect, test, vi } from 'vitest';
import { TIMEOUTS } from '../../src/http/timeouts.ts';
import { createTus, freshName, makeFolder, OBJECT, openPatch, someBytes, upload } from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';

const HASTE = {
  ...TIMEOUTS,
  headersMs: 2000,
  bodyMs: 400,
  readerRate: { windowMs: 1000, minBytes: 1000 },
  // Long beside any standstill of a busy machine: a pause of a whole window is silence.
  senderRate: { windowMs: 3000, minBytes: 2000 },
};

const app = await createTestApp({ deps: { timeouts: HASTE } });
const mika = await app.signIn('mika');

const open = (): Socket => connect(Number(new URL(app.baseUrl).port), '127.0.0.1');
/** Sends the head and returns everything that comes back until the server closes. */
function exchange(head: string, socket = open()): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    socket.setEncoding('latin1').on('data', (text) => (answer += text));
    socket.on('error', () => undefined).on('close', () => resolve(answer));
    socket.write(head);
  });
}
const headers = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`;
const errorIn = (answer: string) => JSON.parse(answer.slice(answer.indexOf('{'))).error.code;

describe('an upload', () => {
  test('that drips is cut, and resumes after all bytes that came', async () => {
    const tus = createTus(app, mika);
    const url = await tus.create({ folder: await makeFolder(app, mika), name: freshName(), length: 2000 });
    const patch = openPatch(tus, url, 0, 2000);
    const bytes = someBytes(2000);
    await patch.send(bytes.subarray(0, 100));
    await patch.send(bytes.subarray(100, 150));
    expect(await patch.outcome).toBe('cut');
    expect(await tus.offsetOf(url)).toBe(150);
    expect((await tus.patch(url, 150, bytes.subarray(150))).status).toBe(204);
    expect(app.log.filter((line) => line.includes('sender was too slow'))).toHaveLength(1);
  });
});

describe('a request', () => {
  test('whose body drips gets 408, and its connection is closed', async () => {
    const head = headers(
      'POST /rest/v1/rpc/get_folder_complete_data HTTP/1.1',
      `host: ${new URL(app.baseUrl).host}`,
      'content-type: application/json',
      'content-length: 50',
    );
    const answer = await exchange(`${head}{"input_folder`);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(errorIn(answer)).toBe('request.timeout');
  });

  test('whose headers don’t come gets 408, and one whose headers are no HTTP 400', async () => {
    const late = await exchange('GET / HTTP/1.1\r\nhost: x\r\nx-drip');
    expect(late).toMatch(/^HTTP\/1\.1 408 /);
    expect(errorIn(late)).toBe('request.timeout');
    const strange = await exchange('EHLO example.org\r\n\r\n');
    expect(strange).toMatch(/^HTTP\/1\.1 400 /);
    expect(errorIn(strange)).toBe('request.invalid');
  });

  test('with too many headers gets 431, and with too long an address 413', async () => {
    const host = `host: ${new URL(app.baseUrl).host}`;
    const large = await exchange(headers('GET /healthz HTTP/1.1', host, `x-large: ${'x'.repeat(17_000)}`));
    expect(large).toMatch(/^HTTP\/1\.1 431 /);
    expect(errorIn(large)).toBe('request.too_large');
    const response = await fetch(`${app.baseUrl}/healthz?${'x'.repeat(9000)}`);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: 'request.too_large' } });
  });

  test('with a larger body than the route takes gets 413, before it is read', async () => {
    const { status } = await app.rpc('get_folder_complete_data', { input_folder_slug: 'x'.repeat(70_000) });
    expect(status).toBe(413);
    const remove = (prefixes: string[]) =>
      fetch(`${app.baseUrl}${OBJECT}/unlocked-folders`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${mika.bearer}`, 'content-type': 'application/json' },
        body: JSON.stringify({ prefixes }),
      });
    const path = `${'f'.repeat(200)}/${'x'.repeat(200)}`;
    expect((await remove(Array.from({ length: 1000 }, () => path))).status).not.toBe(413);
    expect((await remove(Array.from({ length: 1001 }, () => path))).status).toBe(400);
    expect((await remove(['x'.repeat(5 * MIB)])).status).toBe(413);
  });
});

test('a reader who stops reading is cut, in the middle of the file', async () => {
  const tus = createTus(app, mika);
  const folder = await makeFolder(app, mika);
  const name = freshName();
  const sizeBytes = 24 * MIB;
  await upload(tus, folder, name, someBytes(sizeBytes));
  const route = `${OBJECT}/public`;
  const socket = open().pause();
  socket.on('error', () => undefined);
  socket.write(
    headers(
      `GET ${route}/unlocked-folders/${folder.bucket_storage_path}/${name} HTTP/1.1`,
      `host: ${new URL(app.baseUrl).host}`,
    ),
  );
  await expect.poll(() => app.log.join('')).toContain('reader was too slow');
  const received = await new Promise<number>((resolve) => {
    let bytes = 0;
    socket.on('data', (chunk) => (bytes += chunk.length));
    socket.on('close', () => resolve(bytes));
    socket.resume();
  });
  expect(received).toBeLessThan(sizeBytes);
  // A reader who reads on gets all of it.
  const whole = await fetch(`${app.baseUrl}${route}/unlocked-folders/${folder.bucket_storage_path}/${name}`);
  expect((await whole.arrayBuffer()).byteLength).toBe(sizeBytes);
});

test('a reader who takes only a few bytes now and then is cut, too', async () => {
  const slow = await createTestApp({
    deps: { timeouts: { ...TIMEOUTS, readerRate: { windowMs: 500, minBytes: 256 * MIB } } },
  });
  const jonas = await slow.signIn('jonas');
  const tus = createTus(slow, jonas);
  const folder = await makeFolder(slow, jonas);
  const name = freshName();
  const sizeBytes = 32 * MIB;
  await upload(tus, folder, name, someBytes(sizeBytes));
  const socket = connect(slow.config.port, '127.0.0.1');
  let received = 0;
  const closed = new Promise<void>((resolve) => socket.on('error', () => undefined).on('close', () => resolve()));
  socket.on('data', (chunk) => {
    received += chunk.length;
    socket.pause();
    setTimeout(() => socket.resume(), 2);
  });
  const path = `${OBJECT}/public/unlocked-folders/${folder.bucket_storage_path}/${name}`;
  socket.write(headers(`GET ${path} HTTP/1.1`, 'host: x'));
  await closed;
  expect(received).toBeGreaterThan(0);
  expect(received).toBeLessThan(sizeBytes);
  expect(slow.log.filter((line) => line.includes('reader was too slow'))).toHaveLength(1);
});

test('of many downloads pipelined on one connection, each opens its file when its turn comes', async () => {
  const tus = createTus(app, mika);
  const folder = await makeFolder(app, mika);
  const name = freshName();
  await upload(tus, folder, name, someBytes(MIB));
  const { blobs } = app.deps;
  const real = blobs.open;
  let held = 0;
  let heldAtMost = 0;
  vi.spyOn(blobs, 'open').mockImplementation(async (...what) => {
    const blob = await real(...what);
    heldAtMost = Math.max(heldAtMost, ++held);
    return { ...blob, close: () => blob.close().finally(() => held--) };
  });
  const path = `${OBJECT}/public/unlocked-folders/${folder.bucket_storage_path}/${name}`;
  const host = `host: ${new URL(app.baseUrl).host}`;
  const asked = headers(`GET ${path} HTTP/1.1`, host).repeat(19);
  const answers = await exchange(asked + headers(`GET ${path} HTTP/1.1`, host, 'connection: close'));
  expect(answers.match(/HTTP\/1\.1 200/g)).toHaveLength(20);
  expect(answers.length).toBeGreaterThan(20 * MIB);
  expect(heldAtMost).toBe(1);
  // And a dropped connection holds nothing.
  const dropped = open();
  dropped.on('error', () => undefined);
  dropped.once('data', () => dropped.destroy());
  dropped.write(headers(`GET ${path} HTTP/1.1`, host).repeat(20));
  await expect.poll(() => [dropped.closed, held]).toEqual([true, 0]);
  expect(heldAtMost).toBe(1);
  vi.restoreAllMocks();
});
