import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { signedHeaders } from '../support/discord/discord-keys.ts';
import { commandBody, makeInteraction } from '../support/discord/discord-kit.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';

/** Unsigned posts count against the network that sends them, before any work; signed posts never count. */

const PATH = '/discord/interactions';
const LIMITS = { unsigned: [{ max: 3, seconds: 3600 }], unsigned_beside_signed: [{ max: 9, seconds: 3600 }] };
const [ATTACKER, DISCORD] = ['192.0.2.66', '192.0.2.7'];

let app: TestApp;
/** @param env TRUST_PROXY, so that a test can name a post's address */
const start = async (env: Record<string, string> = { TRUST_PROXY: '127.0.0.1' }) => {
  app = await createTestApp({ env, deps: { rateLimits: LIMITS } });
};

const post = (from: string, body: string, headers: Record<string, string>) =>
  fetch(app.baseUrl + PATH, { method: 'POST', headers: { ...headers, 'x-forwarded-for': from }, body });
const JSON_TYPE = { 'content-type': 'application/json' };
const FORGED = { ...JSON_TYPE, 'x-signature-ed25519': 'ab'.repeat(64) };
const forged = () => ({ ...FORGED, 'x-signature-timestamp': String(Math.floor(Date.now() / 1000)) });

async function statuses(times: number, ask: () => Promise<Response>): Promise<number[]> {
  const all: number[] = [];
  for (let time = 0; time < times; time++) {
    const response = await ask();
    all.push(response.status);
    await response.arrayBuffer();
  }
  return all;
}
const unsigned = (from: string) => () => post(from, '{"type":1}', JSON_TYPE);
const wronglySigned = (from: string) => () => post(from, '{"type":1}', forged());
const tooLong = (from: string) => () => post(from, 'x'.repeat(200_000), forged());
const signed = (from: string) => () => {
  const body = JSON.stringify(makeInteraction(app, 'mika', commandBody('list')));
  return post(from, body, signedHeaders(body));
};

describe('unsigned posts', () => {
  test.each([
    ['without a signature', unsigned],
    ['with a signature that is wrong', wronglySigned],
    ['with a body that is too long to be looked at', tooLong],
  ])('%s are 401, and above the limit of their network 429 with the time to wait', async (_what, from) => {
    await start();
    expect(await statuses(4, from(ATTACKER))).toEqual([401, 401, 401, 429]);
    const refused = await from(ATTACKER)();
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ error: { code: 'request.too_many' } });
  });

  test('above the limit are refused before their body arrives', async () => {
    await start();
    await statuses(3, unsigned(ATTACKER));
    const lines = Object.entries({ ...forged(), host: 'x', 'content-length': '100000', 'x-forwarded-for': ATTACKER });
    const socket = connect(app.config.port, '127.0.0.1');
    const answer = new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(String(bytes))));
    socket.write(`POST ${PATH} HTTP/1.1\r\n${lines.map((line) => line.join(': ')).join('\r\n')}\r\n\r\n`);
    expect(await answer).toMatch(/^HTTP\/1\.1 429 /);
    socket.destroy();
  });

  test('that all begin before the first is known to be unsigned are checked no more often than the limit says', async () => {
    await start();
    const all = await Promise.all(Array.from({ length: 40 }, wronglySigned(ATTACKER)));
    const found = all.map((response) => response.status);
    expect(found.filter((status) => status === 401)).toHaveLength(3);
    expect(found.filter((status) => status === 429)).toHaveLength(37);
  });

  test('affect no other network', async () => {
    await start();
    expect(await statuses(6, unsigned(ATTACKER))).toContain(429);
    expect(await statuses(2, unsigned('192.0.2.67'))).toEqual([401, 401]);
    expect(await statuses(2, signed(DISCORD))).toEqual([200, 200]);
  });
});

describe('signed posts', () => {
  test('never count', async () => {
    await start();
    expect(await statuses(12, signed(DISCORD))).toEqual(Array(12).fill(200));
  });

  test('keep working if Discord and an attacker share the address of a proxy that TRUST_PROXY does not name', async () => {
    await start({});
    expect(await statuses(1, signed(DISCORD))).toEqual([200]);
    expect(await statuses(8, unsigned(ATTACKER))).toEqual(Array(8).fill(401));
    expect(await statuses(2, signed(DISCORD))).toEqual([200, 200]);
    // Even there a flood is limited.
    expect(await statuses(3, unsigned(ATTACKER))).toEqual([401, 429, 429]);
  });
});
