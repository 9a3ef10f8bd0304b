import { createCipheriv, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSum, NOTHING, sumOf } from './blob-sum.ts';

/** By the cipher alone. */
function tagOf(bytes: Uint8Array): string {
  const cipher = createCipheriv('aes-128-gcm', Buffer.from('satchel checksum'), Buffer.alloc(12));
  if (bytes.length > 0) cipher.setAAD(bytes);
  cipher.final();
  return cipher.getAuthTag().toString('hex');
}

test('is the tag of all bytes, in however many parts they come and wherever another process goes on', () => {
  const part = fc.uint8Array({ maxLength: 70 });
  fc.assert(
    fc.property(fc.array(fc.tuple(part, fc.constantFrom('add', 'value', 'anew')), { maxLength: 12 }), (parts) => {
      let sum = createSum();
      let bytes = 0;
      for (const [next, then] of parts) {
        sum.add(next);
        bytes += next.length;
        if (then === 'value') sum.value();
        if (then === 'anew') sum = createSum({ bytes, sum: sum.value() });
      }
      const all = Buffer.concat(parts.map(([next]) => next));
      expect(sum.value()).toBe(tagOf(all));
      expect(sum.value()).toBe(sumOf(...parts.map(([next]) => next)));
    }),
  );
});

test('goes on from large parts, too', () => {
  const bytes = randomBytes(5_000_011);
  const cuts = [0, 1_048_577, 1_048_578, 3_000_000, bytes.length];
  let sum: string | null = NOTHING.sum;
  for (const [at, end] of cuts.slice(1).entries()) {
    const growing = createSum({ bytes: cuts[at]!, sum });
    growing.add(bytes.subarray(cuts[at], end));
    sum = growing.value();
  }
  expect(sum).toBe(tagOf(bytes));
});

test('is not known where that of the bytes before is not', () => {
  const sum = createSum({ bytes: 5, sum: null });
  sum.add(randomBytes(5));
  expect(sum.value()).toBeNull();
});

test('another byte is another sum, as is one byte more', () => {
  const bytes = randomBytes(1000);
  const changed = Buffer.from(bytes);
  changed[999] = changed[999]! ^ 1;
  expect(new Set([bytes, changed, Buffer.concat([bytes, Buffer.alloc(1)])].map((each) => sumOf(each))).size).toBe(3);
});
