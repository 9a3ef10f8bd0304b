import { createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { KIB } from '@satchel/contract/limits';
import type { StillSize } from '@satchel/contract/wire/still-frames';
import { STILL_LARGE_MAX_BYTES, STILL_SMALL_MAX_BYTES } from '@satchel/contract/wire/still-limits';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { importKeys, newFolderKey } from './key.ts';
import { hashHeader, sealLabel } from './label.ts';
import { openStill, sealStill, stillMaxBytes } from './still.ts';

const key = newFolderKey();
const keys = await importKeys(key);
const header = await hashHeader(new Uint8Array([1, 2, 3]));
const file = { storedName: 'a_1_b.enc', header };
const foreign = { code: 'open.foreign' };
const picture = (length: number) => new Uint8Array(randomBytes(length));
const sizes = ['small', 'large'] as const;
const STEP = { small: KIB, large: 8 * KIB };
const MAX = { small: STILL_SMALL_MAX_BYTES, large: STILL_LARGE_MAX_BYTES };

const anySize = fc.constantFrom(...sizes);
const anyBytes = fc.uint8Array({ minLength: 1, maxLength: 3 * KIB }).map((bytes) => new Uint8Array(bytes));
const anyName = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
const anyHeader = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((hash) => Buffer.from(hash).toString('base64url'));

test('a still opens to the picture that was sealed', async () => {
  await fc.assert(
    fc.asyncProperty(anySize, anyBytes, anyName, anyHeader, async (size, bytes, storedName, ofHeader) => {
      const sealed = await sealStill(keys, { size, bytes }, { storedName, header: ofHeader });
      expect(await openStill(keys, { size, bytes: sealed }, { storedName, header: ofHeader })).toEqual(bytes);
    }),
    { numRuns: 60 },
  );
});

test('a still has the bytes that docs/container.md describes', async () => {
  const bytes = picture(1500);
  const sealed = await sealStill(keys, { size: 'small', bytes }, file);
  const stillKey = createHmac('sha256', key.subarray(32))
    .update('satchel v2 still\0')
    .update(key.subarray(0, 32))
    .digest();
  const decipher = createDecipheriv('aes-256-gcm', stillKey, sealed.subarray(0, 12));
  decipher.setAAD(Buffer.from(`satchel v2 still\0small\0a_1_b.enc\0${header}`));
  decipher.setAuthTag(sealed.subarray(-16));
  const plain = Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
  expect(plain).toEqual(Buffer.concat([Buffer.from([0, 0, 5, 220]), bytes, Buffer.alloc(2048 - 1504)]));
});

test('a still opens for no other name, size, header or key', async () => {
  await fc.assert(
    fc.asyncProperty(
      ...([anySize, anyBytes, anyName, anyName, anyHeader, anyHeader, fc.nat(63)] as const),
      async (size, bytes, storedName, otherName, ofHeader, otherHeader, at) => {
        fc.pre(storedName !== otherName && ofHeader !== otherHeader);
        const own = { storedName, header: ofHeader };
        const still = { size, bytes: await sealStill(keys, { size, bytes }, own) };
        const otherKey = key.slice();
        otherKey[at]! ^= 1;
        const otherSize = size === 'small' ? 'large' : 'small';
        const others = [
          openStill(keys, still, { ...own, storedName: otherName }),
          openStill(keys, still, { ...own, header: otherHeader }),
          openStill(keys, { ...still, size: otherSize }, own),
          importKeys(otherKey).then((wrong) => openStill(wrong, still, own)),
        ];
        for (const { reason } of (await Promise.allSettled(others)) as PromiseRejectedResult[]) {
          expect(reason).toMatchObject(foreign);
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('a still that was cut, lengthened or edited anywhere is refused', async () => {
  const sealed = await sealStill(keys, { size: 'small', bytes: picture(300) }, file);
  const changed = [
    ...[0, 1, 11, 12, 27, 28, sealed.length - 1].map((length) => sealed.slice(0, length)),
    new Uint8Array([...sealed, 0]),
    ...[0, 12, 500, sealed.length - 1].map((at) => sealed.map((byte, index) => (index === at ? byte ^ 1 : byte))),
    new Uint8Array(STILL_SMALL_MAX_BYTES + 1),
  ];
  for (const bytes of changed) {
    await expect(openStill(keys, { size: 'small', bytes }, file)).rejects.toMatchObject(foreign);
  }
});

/** Seals a plaintext as a still that no sealer of ours would make. */
async function sealOddly(plain: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const iv = picture(12);
  const additionalData = new TextEncoder().encode(`satchel v2 still\0small\0${file.storedName}\0${header}`);
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData }, keys.still, plain);
  return new Uint8Array([...iv, ...new Uint8Array(sealed)]);
}

test('a length inside that points beyond the still, or at nothing, is refused', async () => {
  expect(
    await openStill(keys, { size: 'small', bytes: await sealOddly(new Uint8Array([0, 0, 0, 1, 7])) }, file),
  ).toEqual(new Uint8Array([7]));
  for (const plain of [[], [0, 0, 0], [0, 0, 0, 0, 7], [0, 0, 0, 2, 7], [255, 255, 255, 255, 7]]) {
    const bytes = await sealOddly(new Uint8Array(plain));
    await expect(openStill(keys, { size: 'small', bytes }, file)).rejects.toMatchObject(foreign);
  }
});

test('a label is no still, and neither is one file’s small still its large one', async () => {
  const label = await sealLabel(keys, { name: 'a.png', type: 'image/png', sizeBytes: 5, header }, file.storedName);
  const bytes = new Uint8Array(Buffer.from(label.slice(2), 'base64url'));
  await expect(openStill(keys, { size: 'small', bytes }, file)).rejects.toMatchObject(foreign);
});

describe.each(sizes)('the %s size', (size: StillSize) => {
  test('hides the picture’s length within a step', async () => {
    const lengths = new Set<number>();
    for (const length of [1, 2, STEP[size] - 4]) {
      lengths.add((await sealStill(keys, { size, bytes: picture(length) }, file)).length);
    }
    expect([...lengths]).toEqual([STEP[size] + 28]);
    expect((await sealStill(keys, { size, bytes: picture(STEP[size] - 3) }, file)).length).toBe(2 * STEP[size] + 28);
  });

  test('takes a picture of the greatest length and none beyond, and none without bytes', async () => {
    const bytes = picture(stillMaxBytes(size));
    const sealed = await sealStill(keys, { size, bytes }, file);
    expect(sealed.length).toBeLessThanOrEqual(MAX[size]);
    expect(sealed.length + STEP[size]).toBeGreaterThan(MAX[size]);
    expect(await openStill(keys, { size, bytes: sealed }, file)).toEqual(bytes);
    for (const length of [0, bytes.length + 1]) {
      await expect(sealStill(keys, { size, bytes: picture(length) }, file)).rejects.toThrow(RangeError);
    }
  });
});
