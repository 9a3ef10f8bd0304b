import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError } from '@satchel/contract/errors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getJson, sendJson } from './api.ts';

interface Seen {
  method: string;
  contentType: string | undefined;
  authorization: string | undefined;
  body: string;
}

const seen: Seen[] = [];
let server: Server;
let origin = '';

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
    seen.push({ method: request.method ?? '', contentType, authorization, body });
    const answer = ANSWERS[request.url ?? ''] ?? { status: 404, body: '' };
    response.writeHead(answer.status).end(answer.body);
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
    expect(await getJson<Answer>(`${origin}/fine`)).toEqual({ answer: 42 });
  });

  test('writes as JSON even without a body, as cookie writes must', async () => {
    await sendJson('POST', `${origin}/empty`, undefined, { token: 'bearer' });
    const sent = { method: 'POST', contentType: 'application/json', authorization: 'Bearer bearer', body: '{}' };
    expect(seen.at(-1)).toEqual(sent);
  });

  test('throws the error that the server named', async () => {
    const error = await failure(getJson(`${origin}/refused`));
    expect(error).toBeInstanceOf(AppError);
    expect(error?.code).toBe('folder.not_found');
  });

  test('throws the fallback for an answer that is not ours, with its status', async () => {
    const error = await failure(getJson(`${origin}/proxy`, { fallback: 'folder.load_failed' }));
    expect(error?.message).toBe('Failed to load folder: 502 Bad Gateway');
  });

  test('throws the fallback for an answer that is not JSON, and for a server that is not there', async () => {
    expect((await failure(getJson(`${origin}/other`)))?.code).toBe('unexpected');
    const gone = failure(getJson('http://127.0.0.1:1/', { fallback: 'profile.load_failed' }));
    expect((await gone)?.code).toBe('profile.load_failed');
  });

  test('that was cancelled is not an error of the catalogue', async () => {
    const error = await failure(getJson(`${origin}/fine`, { signal: AbortSignal.abort() }));
    expect(error).not.toBeInstanceOf(AppError);
  });
});
