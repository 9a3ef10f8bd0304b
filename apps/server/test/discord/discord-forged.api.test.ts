import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { signedHeaders } from '../support/discord/discord-keys.ts';
import { commandBody, makeInteraction, recordRest, send } from '../support/discord/discord-kit.ts';
import { talk } from '../support/raw-http.ts';
import { storedState } from '../support/stored-state.ts';
import { createTestApp } from '../support/test-app.ts';

/** Posts that Discord did not sign, or signed long ago, get 401 and leave nothing behind. */

type Headers = ReturnType<typeof signedHeaders>;

interface Forged {
  readonly what: string;
  readonly body: string | Buffer;
  readonly headers: Record<string, string>;
}

const PATHS = ['/discord/interactions', '/discord/events'];
const SIGNATURE = 'x-signature-ed25519';
const TIMESTAMP = 'x-signature-timestamp';
/**
 * The order of Ed25519's group: adding it to a signature's second half gives another form of it, which must not pass.
 */
const ORDER = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n;
const MINUTE = 60;

let count = 0;
const said = recordRest();

// The limit for unsigned posts has its own tests (discord-unsigned); here each post must be checked.
const app = await createTestApp({
  deps: { discordRest: said.rest, rateLimits: { any: [{ max: 50, seconds: 3600 }] } },
});

const nowSeconds = () => Math.floor(Date.now() / 1000);
/** A body that would be answered and leave rows, if Discord had signed it. */
const freshBody = () => JSON.stringify(makeInteraction(app, 'mika', commandBody('upload', { folder: `f${++count}` })));

const flipped = (bytes: Buffer, bit: number) =>
  Buffer.from(bytes.map((byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte)));
/** Places from the first bit to the last. */
const placesIn = (bits: number) => [0, 0.25, 0.5, 0.75, 1].map((share) => Math.floor(share * (bits - 1)));

const signedBy = (key: KeyObject, message: string) => sign(null, Buffer.from(message), key).toString('hex');
const ZERO_KEY = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32)]),
  format: 'der',
  type: 'pkcs8',
});

function malleated(signature: string): string {
  const bytes = Buffer.from(signature, 'hex');
  const half = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + ORDER;
  const other = Buffer.from(half.toString(16).padStart(64, '0'), 'hex').reverse();
  return Buffer.concat([bytes.subarray(0, 32), other]).toString('hex');
}

const SIGNATURES: Readonly<Record<string, (signature: string) => string>> = {
  'in capitals': (text) => text.toUpperCase(),
  'too short by one': (text) => text.slice(1),
  'too short by a byte': (text) => text.slice(0, -2),
  'too long by one': (text) => `${text}0`,
  'too long by a byte': (text) => `${text}00`,
  twice: (text) => text + text,
  'twice, with a comma': (text) => `${text}, ${text}`,
  empty: () => '',
  'with 0x': (text) => `0x${text}`,
  'in base64': (text) => Buffer.from(text, 'hex').toString('base64'),
  'of zeros': () => '0'.repeat(128),
  'of fs': () => 'f'.repeat(128),
  'no hex': (text) => `${text.slice(1)}g`,
  'halves the other way round': (text) => text.slice(64) + text.slice(0, 64),
  'written another way': malleated,
};

/** Signed by Discord, and wrong in its time alone. */
const times = (now: number): readonly string[] => [
  ...[10, 3600, 10 ** 6, 10 ** 8, now - 1].flatMap((off) =>
    [now - 5 * MINUTE - off, now + 5 * MINUTE + off].map(String),
  ),
  ...['', '0', 'now', 'NaN', 'Infinity', `0${now}`, `+${now}`, `-${now}`, `${now}.0`, `${now}e0`, `${now}000`],
  ...[`0x${now.toString(16)}`, `${now},${now}`, `${now} ${now}`, new Date(now * 1000).toISOString()],
];

/** Makes and sends one post after the other: a post with a later time, made ahead, would no longer be early when it is sent. */
function* forgedPosts(): Generator<Forged> {
  const like = (what: string, change: (headers: Headers, body: string) => Partial<Forged>): Forged => {
    const body = freshBody();
    const headers = signedHeaders(body);
    return { what, body, headers, ...change(headers, body) };
  };
  const signature = (what: string, change: (text: string) => string) =>
    like(`a signature ${what}`, (headers) => ({ headers: { ...headers, [SIGNATURE]: change(headers[SIGNATURE]) } }));

  for (const bit of placesIn(Buffer.byteLength(freshBody()) * 8)) {
    yield like(`bit ${bit} of the body`, (_, body) => ({ body: flipped(Buffer.from(body), bit) }));
    yield like(`cut to ${bit >> 3}`, (_, body) => ({ body: body.slice(0, bit >> 3) }));
  }
  for (const bit of placesIn(512)) {
    yield signature(`with bit ${bit} changed`, (text) => flipped(Buffer.from(text, 'hex'), bit).toString('hex'));
  }
  for (const [what, change] of Object.entries(SIGNATURES)) yield signature(what, change);
  for (const time of times(nowSeconds())) {
    yield like(`the time ${time}, signed`, (_, body) => ({ headers: signedHeaders(body, time) }));
  }
  for (const off of [-100, -1, 1, 100]) {
    yield like('another time than was signed', (headers) => ({
      headers: { ...headers, [TIMESTAMP]: String(Number(headers[TIMESTAMP]) + off) },
    }));
  }
  for (const key of [generateKeyPairSync('ed25519').privateKey, ZERO_KEY]) {
    yield like('another key', (headers, body) => ({
      headers: { ...headers, [SIGNATURE]: signedBy(key, headers[TIMESTAMP] + body) },
    }));
  }
  yield like('no signature', ({ [SIGNATURE]: _, ...headers }) => ({ headers }));
  yield like('no time', ({ [TIMESTAMP]: _, ...headers }) => ({ headers }));
  yield like('neither', () => ({ headers: { 'content-type': 'application/json' } }));
  yield like('the signature of another body', () => ({ headers: signedHeaders(freshBody()) }));
  yield like('no body', () => ({ body: '' }));
  yield like('said to be text', (headers) => ({
    body: freshBody(),
    headers: { ...headers, 'content-type': 'text/plain' },
  }));
  yield like('said to be nothing', ({ 'content-type': _, ...headers }) => ({ body: freshBody(), headers }));
  yield like('far too long', (_, body) => ({ body: `${body}${' '.repeat(200_000)}` }));
}

async function statusOf(path: string, { body, headers }: Forged): Promise<number> {
  const sent = typeof body === 'string' ? body : new Uint8Array(body);
  const response = await fetch(app.baseUrl + path, { method: 'POST', headers, body: sent });
  await response.arrayBuffer();
  return response.status;
}

describe('a forged, stale or cut interaction', () => {
  test('gets 401, and leaves no row', async () => {
    const before = await storedState(app);
    const passed: unknown[] = [];
    for (const path of PATHS) {
      for (const forged of forgedPosts()) {
        const status = await statusOf(path, forged);
        if (status !== 401) passed.push({ path, what: forged.what, status });
      }
    }
    expect(passed).toEqual([]);
    expect(await storedState(app)).toEqual(before);
    expect(said.all).toEqual([]);
  });

  test('leaves nothing when its body never ends', async () => {
    const before = await storedState(app);
    const body = freshBody();
    const headers = Object.entries({ ...signedHeaders(body), 'content-length': String(body.length), host: 'x' });
    const head = ['POST /discord/interactions HTTP/1.1', ...headers.map((header) => header.join(': '))].join('\r\n');
    await talk(app.config.port, `${head}\r\n\r\n${body.slice(0, -1)}`, true);
    expect(await storedState(app)).toEqual(before);
  });
});

describe('a post that Discord signs', () => {
  test('is answered, up to five minutes old, and leaves its row', async () => {
    const before = await storedState(app);
    for (const offset of [-4 * MINUTE, 0, 4 * MINUTE]) {
      const body = freshBody();
      expect((await send(app, body, signedHeaders(body, String(nowSeconds() + offset)))).status).toBe(200);
    }
    expect(await storedState(app)).not.toEqual(before);
  });

  test.each([
    ['nothing', ''],
    ['half of it', '{"type":2,'],
    ['no object', '[]'],
    ['null', 'null'],
    ['of a type that there is not', '{"type":99}'],
    ['without what belongs to its type', '{"type":2}'],
    ['deeper than anybody would nest', '['.repeat(20_000) + ']'.repeat(20_000)],
    ['without a user', '{"type":2,"id":"1","application_id":"1","token":"t","data":{"name":"list"}}'],
  ])('and is %s: 400', async (_what, body) => {
    const before = await storedState(app);
    expect((await send(app, body)).status).toBe(400);
    expect(await storedState(app)).toEqual(before);
  });
});
