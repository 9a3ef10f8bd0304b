import { afterEach, expect, test, vi } from 'vitest';
import { keepFreedChunks } from './keep-freed-chunks.ts';

afterEach(() => vi.unstubAllGlobals());

test('a device without so much room does without', () => {
  const asked: number[] = [];
  class Full {
    constructor(bytes: number) {
      asked.push(bytes);
      throw new RangeError('Array buffer allocation failed');
    }
  }
  vi.stubGlobal('ArrayBuffer', Full);
  expect(keepFreedChunks).not.toThrow();
  expect(asked).toHaveLength(1);
});
