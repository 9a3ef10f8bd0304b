import { AppError } from '@satchel/contract/errors';
import { anyCharacter } from '@satchel/contract/testing/any-text';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { importKeys, newFolderKey, newKeyShare, newLinkSecret, parseKey } from '../src/key.ts';
import { openKeyring } from '../src/keyring.ts';
import { openLabel, openName } from '../src/label.ts';
import { openContainer } from '../src/open.ts';
import { collect, slicedStream } from './fixtures.ts';

/** Containers that were never sealed: refused by an error of the catalogue, without a byte of plaintext. */

const keys = await importKeys(newFolderKey());

const FIELDS = {
  version: 2,
  algorithm: 'AES-CTR+HMAC-SHA256',
  baseCounter: [0, 1, 2, 3, 4, 5, 6, 7],
  chunkSize: 64,
  totalChunks: 2,
  originalSize: 100,
  originalName: 'a',
  originalType: 'b',
  mac: 'file',
};
const numbers = fc.constantFrom(0, 1, 2, 15, 16, 64, 2 ** 22, 2 ** 32 - 1, 2 ** 53, 1e308, -1, 0.5);
const changed = fc.dictionary(
  fc.constantFrom(...Object.keys(FIELDS), 'sealed', '__proto__', 'constructor', 'toJSON'),
  fc.oneof(numbers, fc.jsonValue({ maxDepth: 2 })),
  { maxKeys: 2, noNullPrototype: true },
);
const deep = '['.repeat(3000) + ']'.repeat(3000);
const headers = fc
  .tuple(
    changed,
    fc.constantFrom(
      (json: string) => json,
      (json: string) => json.replace('}', `,"x":${deep}}`),
    ),
  )
  .map(([fields, spoil]) => Buffer.from(spoil(JSON.stringify({ ...FIELDS, ...fields }))));
/** Chunks that claim to be the right ones, or not, with anything behind them. */
const chunks = fc.array(
  fc
    .tuple(fc.nat(3), fc.constantFrom(0, 36, 64, 2 ** 32 - 1), fc.uint8Array({ maxLength: 200 }))
    .map(([index, length, rest]) => {
      const head = Buffer.alloc(20);
      head.writeUInt32LE(index, 0);
      head.writeUInt32LE(length, 16);
      return Buffer.concat([head, rest]);
    }),
  { maxLength: 3 },
);
const containers = fc.tuple(headers, fc.boolean(), chunks).map(([header, isBare, body]) => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(header.length);
  return Buffer.concat([...(isBare ? [] : [length]), header, ...body]);
});

describe('a container that was never sealed', () => {
  test('is refused, without a byte of plaintext', async () => {
    const anything = fc.oneof(containers, fc.uint8Array({ maxLength: 10_000, size: 'max' }));
    await fc.assert(
      fc.asyncProperty(anything, fc.integer({ min: 1, max: 5000 }), async (bytes, pieceBytes) => {
        const opening = openContainer(keys, slicedStream(bytes, [pieceBytes]));
        const { plain, error } = await opening.then(
          ({ plaintext }) => collect(plaintext),
          (reason) => ({ plain: Buffer.alloc(0), error: reason }),
        );
        expect(error).toBeInstanceOf(AppError);
        expect(plain).toHaveLength(0);
      }),
      { numRuns: 500 },
    );
  });
});

const texts = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 200 }),
  fc.base64String({ maxLength: 200 }),
  fc.stringMatching(/^[A-Za-z0-9_-]{127}$/),
  fc.constantFrom('', '\0', '\ud800', 'A'.repeat(100_000), '__proto__'),
);

test.each<[string, (text: string) => unknown]>([
  ['label', (text) => openLabel(keys, `2.${text}`, 'a.enc')],
  ['name', (text) => openName(keys, text)],
  ['sealed key', (sealedKey) => openKeyring({ sealedKey, secret: newLinkSecret(), share: newKeyShare() })],
  ['folder key', async (text) => parseKey(text)],
])('any text for a %s is refused by an error of the catalogue', async (_name, open) => {
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      await expect(open(text)).rejects.toBeInstanceOf(AppError);
    }),
    { numRuns: 200 },
  );
});
