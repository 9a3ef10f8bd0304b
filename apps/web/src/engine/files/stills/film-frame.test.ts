import { expect, test } from 'vitest';
import { isBlack, secondsToTry } from './film-frame.ts';

const frame = (lit: number) =>
  Uint8ClampedArray.from({ length: 400 }, (_, at) => (at % 4 === 3 ? 255 : at < lit * 4 ? 200 : 3));

test('a frame is black if next to none of it is lit', () => {
  expect([isBlack(frame(0)), isBlack(frame(1)), isBlack(frame(2)), isBlack(frame(50))]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('a film is looked at from its first second on, a shorter one in its middle', () => {
  expect(secondsToTry(5)).toEqual([1, 2, 4]);
  expect(secondsToTry(0.8)).toEqual([0.4]);
  expect(secondsToTry(Number.POSITIVE_INFINITY)[0]).toBe(1);
});
