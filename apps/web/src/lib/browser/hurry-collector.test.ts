import { afterEach, expect, test, vi } from 'vitest';
import { hurryCollector } from './hurry-collector.ts';
import { keepFreedChunks } from './keep-freed-chunks.ts';

afterEach(() => vi.unstubAllGlobals());

test.each([hurryCollector, keepFreedChunks])('a device without so much room does without: %o', (reserve) => {
  const asked: number[] = [];
  class Full {
    constructor(bytes: number) {
      asked.push(bytes);
      throw new RangeError('Array buffer allocation failed');
    }
  }
  vi.stubGlobal('ArrayBuffer', Full);
  expect(reserve).not.toThrow();
  expect(asked).toHaveLength(1);
});
