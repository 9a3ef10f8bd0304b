import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDiscordPictures, type DiscordPicturesOptions } from './discord-pictures.ts';

const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.from('a small picture')]);
const AVATAR = '/avatars/318264905173434370/6f1c0a5b.png?size=256';

let cdn: Server;
let origin: string;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const requests: IncomingMessage[] = [];
const reports: unknown[] = [];

const sendPng = (response: ServerResponse, bytes = PNG) => response.setHeader('content-type', 'image/png').end(bytes);

beforeEach(async () => {
  requests.length = 0;
  reports.length = 0;
  answer = (_request, response) => sendPng(response);
  cdn = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await once(cdn.listen(0, '127.0.0.1'), 'listening');
  origin = `http://127.0.0.1:${(cdn.address() as AddressInfo).port}`;
});
afterEach(() => {
  cdn.closeAllConnections();
  cdn.close();
});

const create = (options: Partial<DiscordPicturesOptions> = {}) =>
  createDiscordPictures({ cdnOrigin: origin, report: (error) => reports.push(error), ...options });

test('a picture is fetched once, without any header about the visitor, and cached', async () => {
  const pictures = create();
  const all = await Promise.all(Array.from({ length: 5 }, () => pictures.read(origin + AVATAR)));
  for (const picture of [...all, await pictures.read(origin + AVATAR)]) {
    expect(picture).toEqual({ type: 'image/png', bytes: PNG });
  }
  expect(requests.map(({ url }) => url)).toEqual([AVATAR]);
  const { cookie, referer, authorization, origin: from, 'x-forwarded-for': forwarded } = requests[0]!.headers;
  expect([cookie, referer, authorization, from, forwarded]).toEqual(Array(5).fill(undefined));
});

test('a picture is fetched again after an hour', async () => {
  let nowMs = 0;
  const pictures = create({ now: () => nowMs });
  await pictures.read(origin + AVATAR);
  nowMs = 59 * 60_000;
  await pictures.read(origin + AVATAR);
  expect(requests).toHaveLength(1);
  nowMs = 60 * 60_000;
  await pictures.read(origin + AVATAR);
  expect(requests).toHaveLength(2);
});

describe('only pictures of this CDN are fetched, not', () => {
  test.each([
    ['another host', () => 'http://localhost:1/avatars/1/a.png'],
    ['another port', () => `http://127.0.0.1:1${AVATAR}`],
    ['a host that begins like it', () => `${origin}.evil.example${AVATAR}`],
    ['a host after its name', () => `http://127.0.0.1@evil.example${AVATAR}`],
    ['a name and a password', () => origin.replace('//', '//name:password@') + AVATAR],
    ['another scheme', () => `file://${AVATAR}`],
    ['another path', () => `${origin}/api/v10/users/@me`],
    ['a path that climbs', () => `${origin}/avatars/1/../../api/v10/x.png`],
    ['an encoded slash', () => `${origin}/avatars/1%2F..%2Fx/a.png`],
    ['another type', () => `${origin}/avatars/1/a.svg`],
    ['another search', () => `${origin}/avatars/1/a.png?size=256&x=1`],
    ['a fragment', () => `${origin}${AVATAR}#x`],
    ['no address', () => 'avatars'],
  ])('%s', async (_name, address) => {
    expect(await create().read(address())).toBeNull();
    expect(requests).toEqual([]);
  });
});

describe('there is no picture when the CDN answers', () => {
  test.each<[string, (response: ServerResponse) => void]>([
    ['404', (response) => response.writeHead(404, { 'content-type': 'image/png' }).end(PNG)],
    ['with a page', (response) => response.setHeader('content-type', 'text/html').end('<p>')],
    [
      'with a drawing that may hold scripts',
      (response) => response.setHeader('content-type', 'image/svg+xml').end('<svg/>'),
    ],
    ['with bytes of another type', (response) => sendPng(response, Buffer.from('<script>'))],
    ['with nothing', (response) => sendPng(response, Buffer.alloc(0))],
    ['with too many bytes and their length', (response) => sendPng(response, Buffer.concat([PNG, Buffer.alloc(1000)]))],
    [
      'with too many bytes and no length',
      (response) => {
        response.setHeader('content-type', 'image/png').write(PNG);
        response.end(Buffer.alloc(1000));
      },
    ],
  ])('%s, and it is not fetched again at once', async (_name, respond) => {
    answer = (_request, response) => respond(response);
    const pictures = create({ maxBytes: 1000 });
    expect([await pictures.read(origin + AVATAR), await pictures.read(origin + AVATAR)]).toEqual([null, null]);
    expect(requests).toHaveLength(1);
    expect(reports).toEqual([]);
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ['with a redirect', (response) => response.writeHead(302, { location: `${origin}/avatars/2/b.png` }).end()],
    ['with an error', (response) => response.writeHead(502).end()],
    [
      'with half of it',
      (response) =>
        response
          .writeHead(200, { 'content-type': 'image/png', 'content-length': 100 })
          .write(PNG, () => response.destroy()),
    ],
    ['not at all', () => undefined],
    ['slowly', (response) => void response.setHeader('content-type', 'image/png').write(PNG)],
  ])('%s; the failure is reported and tried again later', async (_name, respond) => {
    answer = (_request, response) => respond(response);
    let nowMs = 0;
    const pictures = create({ timeoutMs: 200, now: () => nowMs });
    expect([await pictures.read(origin + AVATAR), await pictures.read(origin + AVATAR)]).toEqual([null, null]);
    expect([requests.length, reports.length]).toEqual([1, 1]);
    answer = (_request, response) => sendPng(response);
    nowMs = 60_000;
    expect(await pictures.read(origin + AVATAR)).toEqual({ type: 'image/png', bytes: PNG });
  });
});

test('few pictures are fetched at once; a further one is null without waiting', async () => {
  answer = () => undefined;
  const pictures = create();
  const asked = Array.from({ length: 8 }, (_, at) => pictures.read(`${origin}/avatars/${at}/a.png`));
  expect(await pictures.read(`${origin}/avatars/9/a.png`)).toBeNull();
  await expect.poll(() => requests.length).toBe(8);
  cdn.closeAllConnections();
  expect(await Promise.all(asked)).toEqual(Array(8).fill(null));
  answer = (_request, response) => sendPng(response);
  expect(await pictures.read(`${origin}/avatars/9/a.png`)).toMatchObject({ type: 'image/png' });
});

test('the cache keeps the large pictures read last', async () => {
  const large = Buffer.concat([PNG, Buffer.alloc(6 * 1024 ** 2)]);
  answer = (_request, response) => sendPng(response, large);
  const pictures = create();
  const addresses = Array.from({ length: 6 }, (_, at) => `${origin}/banners/${at}/a.png?size=1024`);
  for (const address of addresses) await pictures.read(address);
  expect(requests).toHaveLength(6);
  for (const address of addresses.slice(1)) await pictures.read(address);
  expect(requests).toHaveLength(6);
  await pictures.read(addresses[0] ?? '');
  expect(requests).toHaveLength(7);
});
