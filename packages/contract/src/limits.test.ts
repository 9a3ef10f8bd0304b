import { expect, test } from 'vitest';
import { chunkSizeFor, GIB, KIB, MIB, maxSealedBytes } from './limits.ts';

test.each([
  [MIB - 1, 32 * KIB],
  [MIB, 64 * KIB],
  [10 * MIB, 128 * KIB],
  [100 * MIB, 256 * KIB],
  [GIB, 512 * KIB],
  [10 * GIB, MIB],
])('a file of %d bytes is sealed in chunks of %d', (sizeBytes, chunkBytes) => {
  expect(chunkSizeFor(sizeBytes)).toBe(chunkBytes);
});

test('the largest sealed file fits the longest header and the overhead of the smallest chunks', () => {
  expect(maxSealedBytes(100 * MIB)).toBe(100 * MIB + 8196 + 52 * 3200);
});
