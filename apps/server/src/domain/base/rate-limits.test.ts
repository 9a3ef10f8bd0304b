import { describe, expect, test } from 'vitest';
import { createRateLimiter } from './rate-limits.ts';

const LIMITS = [
  { max: 3, seconds: 60 },
  { max: 5, seconds: 3600 },
];

function createClocked(maxCounters?: number) {
  const clock = { ms: 3_600_000 * 1000 };
  const deps = { db: null, hash: String, report: () => undefined, now: () => clock.ms };
  const limiter = createRateLimiter(maxCounters === undefined ? deps : { ...deps, maxCounters });
  const take = (client: string, limits = LIMITS, what = 'reads', units = 1) =>
    limiter.take(what, client, limits, units);
  return { clock, take };
}

describe('a limit', () => {
  test('allows its number of calls, then returns how long to wait', () => {
    const { clock, take } = createClocked();
    clock.ms += 10_500;
    expect([take('a'), take('a'), take('a'), take('a')]).toEqual([0, 0, 0, 50]);
    clock.ms += 49_000;
    expect(take('a')).toBe(1);
    clock.ms += 500;
    expect(take('a')).toBe(0);
  });

  test('counts the units that a call costs; 0 units only check the limit', () => {
    const { take } = createClocked();
    const limits = [{ max: 10, seconds: 60 }];
    expect([take('a', limits, 'reads', 4), take('a', limits, 'reads', 4)]).toEqual([0, 0]);
    expect([take('a', limits, 'reads', 0), take('a', limits, 'reads', 0)]).toEqual([0, 0]);
    expect(take('a', limits, 'reads', 4)).toBe(0);
    expect(take('a', limits, 'reads', 0)).toBeGreaterThan(0);
    expect(take('a', limits, 'reads', 1)).toBeGreaterThan(0);
  });

  test('counts each client and each kind of call separately', () => {
    const { take } = createClocked();
    for (const client of ['a', 'b']) expect([take(client), take(client), take(client)]).toEqual([0, 0, 0]);
    expect(take('a')).toBeGreaterThan(0);
    expect(take('a', LIMITS, 'writes')).toBe(0);
    expect(take('c')).toBe(0);
  });

  test('of an hour and one of a minute hold together, and the longer wait is returned', () => {
    const { clock, take } = createClocked();
    expect([take('a'), take('a'), take('a')]).toEqual([0, 0, 0]);
    clock.ms += 60_000;
    expect([take('a'), take('a'), take('a')]).toEqual([0, 0, 3540]);
  });

  test('does not count refused calls', () => {
    const { clock, take } = createClocked();
    for (let times = 0; times < 20; times += 1) take('a');
    clock.ms += 60_000;
    expect([take('a'), take('a')]).toEqual([0, 0]);
  });

  test('that is absent refuses no call', () => {
    const { take } = createClocked();
    for (let times = 0; times < 100; times += 1) expect(take('a', [])).toBe(0);
  });
});

test('keeps at most maxCounters counters and deletes the oldest first', () => {
  const limits = [{ max: 1, seconds: 60 }];
  const { take } = createClocked(3);
  for (const client of ['a', 'b', 'c', 'd']) expect(take(client, limits)).toBe(0);
  expect(take('d', limits)).toBeGreaterThan(0);
  expect(take('a', limits)).toBe(0);
});

test('deletes several counters at once, so that a flood does not cause a scan for each call', () => {
  const limits = [{ max: 1, seconds: 60 }];
  const { take } = createClocked(32);
  for (let client = 0; client <= 32; client += 1) expect(take(String(client), limits)).toBe(0);
  expect(take('3', limits)).toBeGreaterThan(0);
  expect(take('1', limits)).toBe(0);
  expect(take('3', limits)).toBeGreaterThan(0);
});
