import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { signedHeaders } from '../support/discord/discord-keys.ts';
import { commandBody, makeInteraction, recordRest, send } from '../support/discord/discord-kit.ts';
import { talk } from '../support/raw-http.ts';
import { storedState } from '../support/stored-state.ts';
import { createTestApp } from '../support/test-app.ts';

/** Posts that Discord did not sign, or signed long ago, get 401 and leave nothing behind. */

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

function withBitFlipped(bytes: Buffer, bit: number): Buffer {
  const flipped = Buffer.from(bytes);
  flipped[bit >> 3]! ^= 1 << (bit & 7);
  return flipped;
}
const spread = (most: number, howMany: number) =>
  Array.from({ length: howMany }, (_, n) => Math.floor((n * most) / howMany));

const signedBy = (key: KeyObject, message: string) => sign(null, Buffer.from(message), key).toString('hex');

function malleated(signature: string): string {
  const bytes = Buffer.from(signature, 'hex');
  const half = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + ORDER;
  const other = Buffer.from(half.toString(16).padStart(64, '0'), 'hex').reverse();
  return Buffer.concat([bytes.subarray(0, 32), other]).toString('hex');
}

const like = (
  what: string,
  body: string,
  change: (headers: ReturnType<typeof signedHeaders>) => Record<string, string>,
) => ({
  what,
  body,
  headers: change(signedHeaders(body)),
});

const flippedBodies = (): Forged[] => {
  const body = freshBody();
  const bytes = Buffer.from(body);
  return spread(bytes.length * 8, 250).map((bit) => ({
    what: `bit ${bit} of the body`,
    body: withBitFlipped(bytes, bit),
    headers: signedHeaders(body),
  }));
};

const flippedSignatures = (): Forged[] =>
  spread(512, 200).map((bit) =>
    like(`bit ${bit} of the signature`, freshBody(), (headers) => ({
      ...headers,
      [SIGNATURE]: withBitFlipped(Buffer.from(headers[SIGNATURE], 'hex'), bit).toString('hex'),
    })),
  );

const cutBodies = (): Forged[] => {
  const body = freshBody();
  return spread(body.length, 150).map((length) => ({
    what: `cut to ${length}`,
    body: body.slice(0, length),
    headers: signedHeaders(body),
  }));
};

/** Signed by Discord, but at another time. */
const stale = (): Forged[] =>
  [...spread(60 * MINUTE, 75), 10 ** 6, 10 ** 8, nowSeconds() - 1].flatMap((seconds) =>
    [-5 * MINUTE - 10 - seconds, 5 * MINUTE + 10 + seconds].map((offset) => {
      const body = freshBody();
      return {
        what: `${offset} s off`,
        body,
        // Signed when it is sent: a time that was made for later comes nearer while others go first.
        get headers() {
          return signedHeaders(body, String(nowSeconds() + offset));
        },
      };
    }),
  );

const movedTimes = (): Forged[] =>
  spread(200, 100).map((n) =>
    like('another time than was signed', freshBody(), (headers) => ({
      ...headers,
      [TIMESTAMP]: String(Number(headers[TIMESTAMP]) - 101 + n + (n >= 101 ? 1 : 0)),
    })),
  );

const oddTimes = (): Forged[] => {
  const now = String(nowSeconds());
  const texts = [
    '',
    '0',
    'now',
    `0${now}`,
    `+${now}`,
    `-${now}`,
    `${now}.0`,
    `${now}e0`,
    `${now}000`,
    'NaN',
    'Infinity',
  ];
  return [...texts, `0x${Number(now).toString(16)}`, `${now},${now}`, `${now} ${now}`, new Date().toISOString()].map(
    (text) => {
      const body = freshBody();
      return { what: `the time ${text}, signed`, body, headers: signedHeaders(body, text) };
    },
  );
};

const oddSignatures = (): Forged[] => {
  const changes: Record<string, (signature: string) => string> = {
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
  return Object.entries(changes).flatMap(([what, change]) =>
    Array.from({ length: 6 }, () =>
      like(`a signature ${what}`, freshBody(), (headers) => ({ ...headers, [SIGNATURE]: change(headers[SIGNATURE]) })),
    ),
  );
};

const otherKeys = (): Forged[] => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const zero = createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32)]),
    format: 'der',
    type: 'pkcs8',
  });
  return Array.from({ length: 50 }, (_, n) => {
    const body = freshBody();
    const headers = signedHeaders(body);
    const signature = signedBy(n % 2 === 0 ? privateKey : zero, headers[TIMESTAMP] + body);
    return { what: 'another key', body, headers: { ...headers, [SIGNATURE]: signature } };
  });
};

/** Made of valid parts, put together wrongly. */
const mixed = (): Forged[] =>
  Array.from({ length: 10 }, () => [
    like('no signature', freshBody(), ({ [SIGNATURE]: _, ...headers }) => headers),
    like('no time', freshBody(), ({ [TIMESTAMP]: _, ...headers }) => headers),
    like('neither', freshBody(), () => ({ 'content-type': 'application/json' })),
    { what: 'the signature of another body', body: freshBody(), headers: signedHeaders(freshBody()) },
    { what: 'no body', body: '', headers: signedHeaders(freshBody()) },
    like('said to be text', `${freshBody()} `, (headers) => ({
      ...headers,
      ...signedHeaders(freshBody()),
      'content-type': 'text/plain',
    })),
    like('said to be nothing', `${freshBody()}\n`, () => {
      const { 'content-type': _, ...headers } = signedHeaders(freshBody());
      return headers;
    }),
    { what: 'far too long', body: `${freshBody()}${' '.repeat(200_000)}`, headers: signedHeaders(freshBody()) },
  ]).flat();

async function statusOf(path: string, { body, headers }: Forged): Promise<number> {
  const sent = typeof body === 'string' ? body : new Uint8Array(body);
  const response = await fetch(app.baseUrl + path, { method: 'POST', headers, body: sent });
  await response.arrayBuffer();
  return response.status;
}

describe('1,000 forged, stale or cut interactions', () => {
  test('each get 401, and leave no row', async () => {
    const all = [
      ...[...flippedBodies(), ...flippedSignatures(), ...cutBodies(), ...stale(), ...movedTimes()],
      ...[...oddTimes(), ...oddSignatures(), ...otherKeys(), ...mixed()],
    ];
    expect(all.length).toBeGreaterThan(1000);
    const before = await storedState(app);
    const passed: unknown[] = [];
    const next = all.entries();
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        for (const [n, forged] of next) {
          const status = await statusOf(PATHS[n % 4 === 3 ? 1 : 0]!, forged);
          if (status !== 401) passed.push({ what: forged.what, status });
        }
      }),
    );
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
