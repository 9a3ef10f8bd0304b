import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BUCKET } from '@satchel/contract/limits';
import { afterEach, describe, expect, test } from 'vitest';
import { parseAnswer, requestBytes, talk } from '../support/raw-http.ts';
import { createTus, freshName, makeFolder, OBJECT, RESUMABLE } from '../support/storage-kit.ts';
import { storedState } from '../support/stored-state.ts';
import { createTestApp } from '../support/test-app.ts';
import { webOf } from '../support/web.ts';

/**
 * Broken or incomplete HTTP: the connection is closed or the answer is 4xx, nothing is stored, and the server keeps
 * running.
 */

const RPC = '/rest/v1/rpc/create_folder_with_temp_key';
const HOST = 'Host: 127.0.0.1\r\n';
const flood = (count: number) =>
  Array.from({ length: count }, (_, at) => `X-Flood-${at}: ${'a'.repeat(100)}\r\n`).join('');

const app = await createTestApp({ deps: { web: webOf() } });
const mika = await app.signIn('mika');
const tus = createTus(app, mika);
const upload = new URL(await tus.create({ folder: await makeFolder(app, mika), name: freshName(), length: 100 }))
  .pathname;
const state = await storedState(app);
afterEach(async () => {
  expect((await app.call('GET', '/readyz')).status).toBe(200);
  // The file of an upload that broke off goes in the moment after its answer.
  await expect.poll(() => storedState(app)).toEqual(state);
});

/** The owner's, so that only the form of the request can be refused. */
const asMika = () =>
  `${HOST}Origin: ${app.config.publicUrl}\r\nCookie: ${mika.cookie}\r\nAuthorization: Bearer ${mika.bearer}\r\n`;
const json = () => `${asMika()}Content-Type: application/json\r\n`;
const bytes = () =>
  `${asMika()}Tus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\nContent-Type: application/offset+octet-stream\r\n`;

const REFUSED: Readonly<Record<string, () => string>> = {
  'no HTTP at all': () => 'hello there\r\n\r\n',
  'a TLS handshake': () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'NUL bytes': () => '\0'.repeat(1000),
  'the first line of HTTP/2': () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'a version that there is not': () => `GET / HTTP/9.9\r\n${HOST}\r\n`,
  'a method that there is not': () => `STEAL / HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
  'no host': () => 'GET / HTTP/1.1\r\n\r\n',
  'an address with bytes above ASCII': () => `GET /f/\xff\xfe HTTP/1.1\r\n${HOST}\r\n`,
  'an address with a space': () => `GET /f/a b HTTP/1.1\r\n${HOST}\r\n`,
  'an address of 100,000 characters': () => `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n${HOST}\r\n`,
  'another site’s address': () =>
    `GET http://elsewhere.example/rest/v1/profiles/me HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
  'an authority to connect to': () => `CONNECT elsewhere.example:443 HTTP/1.1\r\n${HOST}\r\n`,
  'a header line folded': () => `GET / HTTP/1.1\r\n${HOST}X-A: b\r\n c\r\n\r\n`,
  'a header without a name': () => `GET / HTTP/1.1\r\n${HOST}: nothing\r\n\r\n`,
  'a header with a space in its name': () => `GET / HTTP/1.1\r\n${HOST}X A: b\r\n\r\n`,
  'a header with NUL in it': () => `GET / HTTP/1.1\r\n${HOST}X-A: \0\r\n\r\n`,
  'a bare carriage return in a header': () => `GET / HTTP/1.1\r\n${HOST}X-A: a\rX-B: b\r\n\r\n`,
  'a header of 100,000 characters': () => `GET / HTTP/1.1\r\n${HOST}Cookie: ${'a'.repeat(100_000)}\r\n\r\n`,
  'headers without end': () => `GET / HTTP/1.1\r\n${HOST}${flood(3000)}`,
  'a length that is none': () => `POST ${RPC} HTTP/1.1\r\n${json()}Content-Length: ten\r\n\r\n{}`,
  'a length below zero': () => `POST ${RPC} HTTP/1.1\r\n${json()}Content-Length: -1\r\n\r\n{}`,
  'a length beyond all numbers': () => `POST ${RPC} HTTP/1.1\r\n${json()}Content-Length: ${'9'.repeat(40)}\r\n\r\n{}`,
  'two lengths': () => `POST ${RPC} HTTP/1.1\r\n${json()}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
  'a length and chunks': () =>
    `POST ${RPC} HTTP/1.1\r\n${json()}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  'an encoding that there is not': () => `POST ${RPC} HTTP/1.1\r\n${json()}Transfer-Encoding: gzip, chunky\r\n\r\n{}`,
  'a chunk whose size is none': () =>
    `POST ${RPC} HTTP/1.1\r\n${json()}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
  'a chunk longer than it says': () =>
    `POST ${RPC} HTTP/1.1\r\n${json()}Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n`,
  'chunks of an upload that break off': () =>
    `PATCH ${upload} HTTP/1.1\r\n${bytes()}Transfer-Encoding: chunked\r\n\r\nzz\r\nhello`,
  'a body larger than any JSON route takes': () =>
    `POST ${RPC} HTTP/1.1\r\n${json()}Content-Length: 20000000\r\nConnection: close\r\n\r\n${'{'.repeat(2000)}`,
};

const HALVES: Readonly<Record<string, () => string>> = {
  'half a request line': () => 'GET /f/',
  'half the headers': () => `POST ${RPC} HTTP/1.1\r\n${json()}Content-Le`,
  'half a body': () => `POST ${RPC} HTTP/1.1\r\n${json()}Content-Length: 100\r\n\r\n{"folder_name":`,
  'half a chunk': () => `POST ${RPC} HTTP/1.1\r\n${json()}Transfer-Encoding: chunked\r\n\r\n5\r\n{`,
  nothing: () => '',
};

describe('broken HTTP', () => {
  test.each(Object.entries(REFUSED))('%s: refused or closed', async (_name, make) => {
    const answer = parseAnswer(await talk(app.config.port, make()));
    if (answer) expect(String(answer.status)).toMatch(/^4\d\d$/);
  });

  test.each(Object.entries(HALVES))('%s, and then no more: nothing happens', async (_name, make) => {
    const answer = parseAnswer(await talk(app.config.port, make(), true));
    if (answer) expect(String(answer.status)).toMatch(/^4\d\d$/);
  });
});

describe('pipelined requests', () => {
  test('are answered one by one, a refused one like any other', async () => {
    const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\n${HOST}${more}\r\n`;
    const all = [get('/healthz'), get('/rest/v1/profiles/me'), get('/healthz', 'Connection: close\r\n')].join('');
    const text = (await talk(app.config.port, all)).toString();
    expect(text.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 401', 'HTTP/1.1 200']);
  });

  test('a body is never read as the next request', async () => {
    const hidden = `DELETE /rest/v1/profiles/me HTTP/1.1\r\n${asMika()}\r\n`;
    const length = `Content-Length: ${hidden.length}\r\n`;
    for (const target of [
      `GET /healthz`,
      `POST ${RPC}`,
      `PATCH ${upload}`,
      `POST ${RESUMABLE}`,
      `HEAD ${OBJECT}/public/${BUCKET}/a/b`,
    ]) {
      const text = (
        await talk(app.config.port, `${target} HTTP/1.1\r\n${HOST}${length}Connection: close\r\n\r\n${hidden}`)
      ).toString();
      expect(text.match(/^HTTP\/1\.1 \d{3}/gm), target).toHaveLength(1);
    }
    expect((await app.call('GET', '/auth/v1/user', { as: mika })).status).toBe(200);
  });

  test('an upgrade is ignored', async () => {
    const upgrade = `Connection: upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Key: YQ==\r\n`;
    const answer = parseAnswer(await talk(app.config.port, `GET /healthz HTTP/1.1\r\n${HOST}${upgrade}\r\n`));
    expect([answer?.status, String(answer?.body).split('\n')[0]]).toEqual([200, 'ok']);
  });

  test('a hundred incomplete requests at once delay no one else', async () => {
    const halves = Array.from({ length: 100 }, () => talk(app.config.port, 'POST / HTTP/1.1\r\nContent-', true));
    expect((await app.call('GET', '/healthz')).status).toBe(200);
    await Promise.all(halves);
  });
});

test('refused requests leave nothing in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const refused = [
    { method: 'POST', path: RPC, headers: [['content-type', 'application/json']], body: `"${'a'.repeat(50_000)}"` },
    { method: 'POST', path: RPC, headers: [['cookie', `sid=${'a'.repeat(5000)}`]], body: '['.repeat(50_000) },
    {
      method: 'PATCH',
      path: `${RESUMABLE}/${'a'.repeat(36)}`,
      headers: [['upload-metadata', 'a,'.repeat(3000)]],
      body: 'x'.repeat(50_000),
    },
    {
      method: 'GET',
      path: `${OBJECT}/public/${BUCKET}/${'%41'.repeat(600)}`,
      headers: [['range', `bytes=${'0-,'.repeat(2000)}`]],
    },
  ] as const;
  const heapAfter = async (rounds: number) => {
    for (let round = 0; round < rounds; round++) {
      const answers = await Promise.all(refused.map((request) => talk(app.config.port, requestBytes(request))));
      for (const answer of answers) expect(String(parseAnswer(answer)?.status)).toMatch(/^4\d\d$/);
    }
    // The test's own record of the log is not the server's memory.
    app.log.length = 0;
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const ROUNDS = 60;
  const bytes: number[] = [];
  for (const _ of [1, 2, 3, 4]) bytes.push(await heapAfter(ROUNDS));
  const grown = bytes.slice(1).map((after, at) => after - bytes[at]!);
  // Their bodies are 9 MB: a server that kept them would grow by that much each time.
  expect(Math.min(...grown)).toBeLessThan(3_000_000);
});
