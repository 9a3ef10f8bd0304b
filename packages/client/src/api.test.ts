import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError } from '@satchel/contract/errors';
import { PATHS } from '@satchel/contract/paths';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApi, type Procedure } from './api.ts';

interface Seen {
  path: string;
  method: string;
  contentType: string | undefined;
  authorization: string | undefined;
  body: string;
}

const seen: Seen[] = [];
/** Answers to the next requests, before the answers by path; null: the connection ends without one. */
const nextAnswers: ({ status: number; body: string } | null)[] = [];
let server: Server;
let origin = '';
const { getJson, sendJson, rpc } = createApi({
  fetch: async (path, init) => ({ response: await fetch(new URL(path, origin), init) }),
});

const ANSWERS: Record<string, { status: number; body: string }> = {
  '/fine': { status: 200, body: '{"answer":42}' },
  '/other': { status: 200, body: '<html>Sign in to this network</html>' },
  '/empty': { status: 204, body: '' },
  '/refused': { status: 404, body: '{"error":{"code":"folder.not_found","params":{},"message":"ignored"}}' },
  '/proxy': { status: 502, body: '<html>Bad Gateway</html>' },
};

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const { 'content-type': contentType, authorization } = request.headers;
    const path = request.url ?? '';
    seen.push({ path, method: request.method ?? '', contentType, authorization, body });
    const answer = nextAnswers.length > 0 ? nextAnswers.shift() : (ANSWERS[path] ?? { status: 404, body: '' });
    if (answer) response.writeHead(answer.status).end(answer.body);
    else request.socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

interface Answer {
  answer: number;
}
const failure = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => error as AppError,
  );

describe('a call of the API', () => {
  test('gives what the server answers', async () => {
    expect(await getJson<Answer>('/fine')).toEqual({ answer: 42 });
  });

  test('writes as JSON even without a body, as cookie writes must', async () => {
    await sendJson('POST', '/empty', undefined, { token: 'bearer' });
    const sent = {
      path: '/empty',
      method: 'POST',
      contentType: 'application/json',
      authorization: 'Bearer bearer',
      body: '{}',
    };
    expect(seen.at(-1)).toEqual(sent);
  });

  test('throws the error that the server named', async () => {
    const error = await failure(getJson('/refused'));
    expect(error).toBeInstanceOf(AppError);
    expect(error?.code).toBe('folder.not_found');
  });

  test('throws the fallback for an answer that is not ours, with its status', async () => {
    const error = await failure(getJson('/proxy', { fallback: 'folder.load_failed' }));
    expect(error?.message).toBe('Failed to load folder: 502 Bad Gateway');
  });

  test('throws the fallback for an answer that is not JSON, and for a server that is not there', async () => {
    expect((await failure(getJson('/other')))?.code).toBe('unexpected');
    const gone = failure(getJson('http://127.0.0.1:1/', { fallback: 'profile.load_failed' }));
    expect((await gone)?.code).toBe('profile.load_failed');
  });

  test('that was cancelled is not an error of the catalogue', async () => {
    const error = await failure(getJson('/fine', { signal: AbortSignal.abort() }));
    expect(error).not.toBeInstanceOf(AppError);
  });
});

const LOST = { status: 502, body: '<html>Bad Gateway</html>' };
const DONE = { status: 200, body: '{"answer":42}' };
const REFUSED = { status: 503, body: '{"error":{"code":"request.unavailable","params":{},"message":"ignored"}}' };

/** Calls a procedure. @returns its error, and how often it was asked for */
async function called(name: Procedure, ...answers: typeof nextAnswers) {
  nextAnswers.splice(0, nextAnswers.length, ...answers);
  const before = seen.length;
  const error = await failure(rpc(name, { folder_id: 'one' } as never));
  const asked = seen.slice(before);
  expect(new Set(asked.map(({ path, body }) => `${path} ${body}`)).size).toBe(1);
  expect(asked[0]?.path).toBe(`${PATHS.rpc}/${name}`);
  return { code: error?.code ?? null, times: asked.length };
}

describe('a call whose answer is lost', () => {
  test.each<Procedure>([
    'update_folder_settings',
    'generate_temp_encryption_key',
    'stage_folder_labels',
    'revoke_temp_encryption_key',
    'delete_folder_complete',
  ])('is made once more, where it may run twice: %s', async (name) => {
    expect(await called(name, LOST, DONE)).toEqual({ code: null, times: 2 });
    expect(await called(name, null, DONE)).toEqual({ code: null, times: 2 });
    expect(await called(name, LOST, LOST, DONE)).toEqual({ code: 'unexpected', times: 2 });
  });

  test('is made once, where a second one would do more', async () => {
    expect(await called('create_folder_with_temp_key', LOST, DONE)).toEqual({ code: 'unexpected', times: 1 });
  });

  test('is not taken for one that the server refuses', async () => {
    const refused = { code: 'request.unavailable', times: 1 };
    expect(await called('update_folder_settings', REFUSED, DONE)).toEqual(refused);
    const broken = { status: 500, body: '' };
    expect(await called('update_folder_settings', broken, DONE)).toEqual({ code: 'unexpected', times: 1 });
  });

  test('is made once more where files are deleted', async () => {
    nextAnswers.splice(0, nextAnswers.length, LOST, DONE);
    const before = seen.length;
    await sendJson('DELETE', '/objects', { prefixes: ['a/b'] }, { isRepeatable: true });
    expect(seen.slice(before).map(({ path }) => path)).toEqual(['/objects', '/objects']);
  });
});
