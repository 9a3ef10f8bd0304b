import { expect, test } from 'vitest';
import { addSample, measureSpeed, type SpeedSample } from './speed.ts';

const MIB = 1024 ** 2;

test('speed and time left come from the last ten seconds', () => {
  let samples: readonly SpeedSample[] = [];
  for (let second = 0; second <= 30; second += 1) {
    const sentBytes = second <= 15 ? second * MIB : 15 * MIB + (second - 15) * 4 * MIB;
    samples = addSample(samples, { atMs: second * 1000, sentBytes });
  }
  expect(samples).toHaveLength(11);
  expect(measureSpeed(samples, 10 * MIB)).toEqual({ speedBytesPerSecond: 4 * MIB, secondsLeft: 3 });
});

test('nothing is said before there is something to say', () => {
  const unknown = { speedBytesPerSecond: null, secondsLeft: null };
  expect(measureSpeed([], MIB)).toEqual(unknown);
  const sample = { atMs: 0, sentBytes: 0 };
  expect(measureSpeed([sample], MIB)).toEqual(unknown);
  expect(measureSpeed([sample, { atMs: 100, sentBytes: MIB }], MIB)).toEqual(unknown);
});

test('a stalled queue has no estimate', () => {
  const samples = [
    { atMs: 0, sentBytes: MIB },
    { atMs: 5000, sentBytes: MIB },
  ];
  expect(measureSpeed(samples, MIB)).toEqual({ speedBytesPerSecond: 0, secondsLeft: null });
});
