import { afterEach, expect, test, vi } from 'vitest';
import { hurryCollector } from './hurry-collector.ts';

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
  expect(hurryCollector).not.toThrow();
  expect(asked).toHaveLength(1);
});
