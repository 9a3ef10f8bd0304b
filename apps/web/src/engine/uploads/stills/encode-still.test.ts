import { expect, test } from 'vitest';
import { fitInto } from './encode-still.ts';

test('a still keeps its picture’s shape, is never enlarged, and has at least one pixel each way', () => {
  expect(fitInto(4000, 3000, 480)).toEqual({ widthPx: 480, heightPx: 360 });
  expect(fitInto(300, 4000, 480)).toEqual({ widthPx: 36, heightPx: 480 });
  expect(fitInto(40, 30, 96)).toEqual({ widthPx: 40, heightPx: 30 });
  expect(fitInto(30_000, 10, 480)).toEqual({ widthPx: 480, heightPx: 1 });
});
