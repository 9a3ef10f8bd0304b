import { describe, expect, test } from 'vitest';
import { countBothRuns, countTests, createReport, filesToRunAgain } from './run-report.mjs';

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

const FOLDER = '/srv/satchel';
const outcome = (status, title, ancestorTitles = [], failureMessages = []) => ({
  ...{ status, title, ancestorTitles, failureMessages },
});
const written = (testResults, counts) => ({
  ...{ numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, ...counts },
  testResults: testResults.map((file) => ({ ...file, name: `${FOLDER}/${file.name}` })),
});
const stack = (line) => `${line}\n    at ${FOLDER}/tests/a.test.ts:2:59\n    at new Promise (<anonymous>)`;

test('each failed test stands above the table: suite, file, full title and the first line of its error', async () => {
  const report = createReport(() => 0);
  const result = written(
    [
      {
        name: 'tests/a.test.ts',
        status: 'failed',
        message: '',
        assertionResults: [
          outcome('passed', 'opens'),
          outcome('failed', 'closes', ['a folder', 'of yours'], [stack('\u001b[31mError: \u001b[39mno door')]),
          outcome('failed', 'locks', [], [stack('TypeError: first\nsecond')]),
        ],
      },
      { name: 'tests/b.test.ts', status: 'passed', message: '', assertionResults: [outcome('passed', 'stays')] },
    ],
    { numPassedTests: 2, numFailedTests: 2, numPendingTests: 1 },
  );
  await report.part('api', async (count) => count('api tests', countTests(result, { code: 1, folder: FOLDER })));
  expect(report.lines()).toEqual([
    'api: tests/a.test.ts > a folder > of yours > closes: Error: no door',
    'api: tests/a.test.ts > locks: TypeError: first',
    '',
    'suite          passed   failed  skipped  seconds',
    'api                 2        2        1        0',
    'all                 2        2        1        0',
    'failed: api tests (2)',
    '2 passed, 2 failed, 1 skipped',
  ]);
});

test.each([
  [
    'a file that can’t be loaded',
    written([
      { name: 'tests/c.test.ts', status: 'failed', message: "Can't find './x.ts'\nmore", assertionResults: [] },
    ]),
    "tests/c.test.ts: Can't find './x.ts'",
  ],
  [
    'a hook around passed tests',
    written(
      [{ name: 'tests/c.test.ts', status: 'failed', message: '', assertionResults: [outcome('passed', 'opens')] }],
      { numPassedTests: 1 },
    ),
    'tests/c.test.ts: failed outside of its tests',
  ],
  [
    'an error outside of the tests',
    written(
      [{ name: 'tests/c.test.ts', status: 'passed', message: '', assertionResults: [outcome('passed', 'opens')] }],
      {
        numPassedTests: 1,
      },
    ),
    'code 1 without a failed test: an error outside of the tests',
  ],
  ['a run without tests', written([]), 'no test was run'],
  ['a crash', undefined, 'the run ended with code 1 before it wrote its results'],
])('%s counts as one failure, and is named', (_what, result, name) => {
  expect(countTests(result, { code: 1, folder: FOLDER })).toMatchObject({ failed: 1, tests: [name] });
});

test('a run that passed names no test', () => {
  const file = {
    name: 'tests/c.test.ts',
    status: 'passed',
    message: '',
    assertionResults: [outcome('passed', 'opens')],
  };
  expect(countTests(written([file], { numPassedTests: 1 }), { code: 0, folder: FOLDER })).toEqual({
    ...{ passed: 1, failed: 0, skipped: 0, tests: [] },
  });
});

const file = (name, ...assertionResults) => ({
  ...{ name, message: '', assertionResults },
  status: assertionResults.some(({ status }) => status === 'failed') ? 'failed' : 'passed',
});

test('files that failed are run again, but not more than chance explains', () => {
  const failing = (name) => file(name, outcome('failed', 'opens', [], ['Error: shut']));
  const passing = file('tests/z.test.ts', outcome('passed', 'stays'));
  const names = ['tests/a.test.ts', 'tests/b.test.ts', 'tests/c.test.ts'];
  expect(filesToRunAgain(written([...names.map(failing), passing]))).toEqual(names.map((name) => `${FOLDER}/${name}`));
  expect(filesToRunAgain(written([...names, 'tests/d.test.ts'].map(failing)))).toEqual([]);
  expect(filesToRunAgain(written([passing]))).toEqual([]);
  expect(filesToRunAgain(undefined)).toEqual([]);
});

describe('a file that was run again', () => {
  const first = written(
    [
      file(
        'tests/a.test.ts',
        outcome('failed', 'opens', ['a door'], ['Error: shut']),
        outcome('passed', 'closes'),
        outcome('skipped', 'locks'),
      ),
      file('tests/b.test.ts', outcome('passed', 'stays'), outcome('skipped', 'goes')),
    ],
    { numPassedTests: 2, numFailedTests: 1, numPendingTests: 2 },
  );

  test('counts by what came of it then, and its unsteady test stands below the table', async () => {
    const second = written(
      [file('tests/a.test.ts', ...['opens', 'closes', 'locks'].map((title) => outcome('passed', title)))],
      { numPassedTests: 3 },
    );
    const report = createReport(() => 0);
    await report.part('browser', async (count) =>
      count('browser tests', countBothRuns(first, second, { code: 0, folder: FOLDER })),
    );
    expect(report.lines().slice(-3)).toEqual([
      'all                 4        0        1        0',
      'passed only when it was run again: browser: tests/a.test.ts > a door > opens: Error: shut',
      '4 passed, 0 failed, 1 skipped',
    ]);
    expect(report.hasFailed()).toBe(false);
  });

  test('fails where it fails again, be it for another reason', () => {
    const second = written(
      [
        file(
          'tests/a.test.ts',
          outcome('failed', 'opens', ['a door'], ['Error: gone']),
          ...['closes', 'locks'].map((title) => outcome('passed', title)),
        ),
      ],
      { numPassedTests: 2, numFailedTests: 1 },
    );
    expect(countBothRuns(first, second, { code: 1, folder: FOLDER })).toEqual({
      ...{ passed: 3, failed: 1, skipped: 1, unsteadyTests: [] },
      tests: ['tests/a.test.ts > a door > opens: Error: gone'],
    });
  });

  test.each([
    ['crashes', undefined],
    ['runs nothing', written([])],
  ])('fails where the second run %s', (_what, second) => {
    expect(countBothRuns(first, second, { code: 1, folder: FOLDER }).failed).toBeGreaterThan(0);
  });
});
