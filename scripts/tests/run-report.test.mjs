import { expect, test } from 'vitest';
import { createReport } from './run-report.mjs';

test('each part has its row with its seconds, and the last line is the sum', async () => {
  let nowMs = 0;
  const report = createReport(() => nowMs);
  await report.part('checks', async (count) => {
    count('imports', { passed: 1 });
    count('types of apps/web', { failed: 1 });
    nowMs += 12_400;
  });
  await report.part('unit', async (count) => {
    count('unit tests', { passed: 3040, failed: 2, skipped: 1 });
    nowMs += 61_000;
  });
  expect(report.lines()).toEqual([
    'suite          passed   failed  skipped  seconds',
    'checks              1        1        0       12',
    'unit             3040        2        1       61',
    'all              3041        3        1       73',
    'failed: types of apps/web',
    'failed: unit tests (2)',
    '3041 passed, 3 failed, 1 skipped',
  ]);
  expect(report.hasFailed()).toBe(true);
});

test('a part that breaks off keeps its row, and the last line names no skipped tests where there are none', async () => {
  const report = createReport(() => 0);
  await expect(report.part('api', () => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk');
  await report.part('unit', async (count) => count('unit tests', { passed: 5 }));
  expect(report.lines().at(-1)).toBe('5 passed, 0 failed');
  expect(report.lines()[1]).toMatch(/^api .* 0$/);
});

test('what was left out for want of a program stands below the table, and is no failure', async () => {
  const report = createReport(() => 0);
  await report.part('acceptance', async (count) => {
    count('the run behind a pooler: there is no pgbouncer', { isLeftOut: true });
    count('acceptance tests', { passed: 5, skipped: 7 });
  });
  expect(report.lines().slice(-2)).toEqual([
    'left out: the run behind a pooler: there is no pgbouncer',
    '5 passed, 0 failed, 7 skipped',
  ]);
  expect(report.hasFailed()).toBe(false);
});
