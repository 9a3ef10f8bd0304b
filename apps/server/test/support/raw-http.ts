import { connect } from 'node:net';
import { TokenRefusal } from '@satchel/contract/device';
import { DEVICE_PATHS } from '@satchel/contract/device-code';
import { CATALOGUE } from '@satchel/contract/errors';
import { expect } from 'vitest';

/** Requests byte for byte over their own socket: what fetch refuses to send, or corrects first. */

export interface RawRequest {
  readonly method: string;
  /** Path and query as sent; characters above U+00FF are impossible. */
  readonly path: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Uint8Array;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** Sends `bytes` and returns everything that comes back until the other side closes; `isEnd` closes this side first. */
export function talk(port: number, bytes: Uint8Array | string, isEnd = false): Promise<Buffer> {
  return new Promise((resolve) => {
    const received: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('data', (chunk) => received.push(chunk));
    // A reset also ends the connection; the bytes that arrived before it count.
    socket.on('error', () => undefined);
    socket.on('end', () => socket.end());
    socket.on('close', () => resolve(Buffer.concat(received)));
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
    if (isEnd) socket.end();
  });
}

function unchunked(body: Buffer): Buffer {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = body.indexOf('\r\n', at);
    const length = Number.parseInt(body.subarray(at, lineEnd).toString('latin1'), 16);
    if (lineEnd < 0 || !length) return Buffer.concat(chunks);
    chunks.push(body.subarray(lineEnd + 2, lineEnd + 2 + length));
    at = lineEnd + 2 + length + 2;
  }
}

/** The first answer in `bytes`, or null. */
export function parseAnswer(bytes: Buffer): RawAnswer | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = bytes.subarray(0, Math.max(headEnd, 0)).toString('latin1').split('\r\n');
  const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(statusLine) ?? [];
  if (status === undefined) return null;
  const headers = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const rest = bytes.subarray(headEnd + 4);
  // "100 Continue" comes before the answer.
  if (status.startsWith('1')) return parseAnswer(rest);
  const body = headers.get('transfer-encoding') === 'chunked' ? unchunked(rest) : rest;
  return { status: Number(status), headers, body };
}

/** A request with correct host and body length, so that only its own words may be wrong. */
function requestBytes({ method, path, headers = [], body }: RawRequest): Buffer {
  const payload = typeof body === 'string' ? Buffer.from(body) : Buffer.from(body ?? []);
  const length = body === undefined ? [] : [['content-length', String(payload.length)] as const];
  const lines = [['host', '127.0.0.1'] as const, ['connection', 'close'] as const, ...length, ...headers].map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'), payload]);
}

/** Sends a request and returns the answer; null if the connection was closed without one. */
export const exchange = async (port: number, request: RawRequest): Promise<RawAnswer | null> =>
  parseAnswer(await talk(port, requestBytes(request)));

/** Asserts that a route did what was asked, or refused it with an error of the catalogue. */
export function expectAnswer(answer: RawAnswer | null, { method, path }: RawRequest): asserts answer is RawAnswer {
  expect(answer, 'an answer').not.toBeNull();
  const { status, headers, body } = answer!;
  expect(status).toBeLessThan(500);
  if (status < 400 || method === 'HEAD' || headers.get('content-type')?.startsWith('text/html')) return;
  const refusal = JSON.parse(body.toString());
  if (path.startsWith('/bot/') && refusal.success === false) return expect(refusal.error).toEqual(expect.any(String));
  if (path === DEVICE_PATHS.token && typeof refusal.error === 'string') return void TokenRefusal.parse(refusal);
  const { code, params, message } = refusal.error;
  expect(Object.keys(CATALOGUE)).toContain(code);
  const row = CATALOGUE[code as keyof typeof CATALOGUE];
  expect({ status, message }).toEqual({ status: row.status, message: row.text(params) });
}
