import { expect, test } from 'vitest';
import { releaseChunk } from './release-chunk.ts';

test('a chunk is freed at once', () => {
  const chunk = new Uint8Array(100_000);
  releaseChunk(chunk);
  expect(chunk.byteLength).toBe(0);
});

test('small chunks stay: a zip’s packer still counts them', () => {
  const small = new Uint8Array(1000);
  releaseChunk(small);
  expect(small.byteLength).toBe(1000);
});
