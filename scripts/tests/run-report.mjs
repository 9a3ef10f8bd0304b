import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const COLUMNS = ['suite', 'passed', 'failed', 'skipped', 'seconds'];

/**
 * Counts what came of each part of a run, for the table at its end.
 * @param {() => number} [now] milliseconds
 */
export function createReport(now = () => performance.now()) {
  const startedMs = now();
  const rows = [];
  const failures = [];
  const failedTests = [];
  const leftOut = [];

  /** Takes the time of a part, whose results are counted by `count`. */
  async function part(name, run) {
    const row = { name, passed: 0, failed: 0, skipped: 0, seconds: 0 };
    rows.push(row);
    const beganMs = now();
    try {
      return await run((what, result) => add(row, what, result));
    } finally {
      row.seconds = secondsSince(beganMs);
    }
  }

  function add(row, what, { passed = 0, failed = 0, skipped = 0, tests = [], isLeftOut = false }) {
    failedTests.push(...tests.map((test) => `${row.name}: ${test}`));
    row.passed += passed;
    row.failed += failed;
    row.skipped += skipped;
    if (isLeftOut) leftOut.push(what);
    if (failed) failures.push(failed > 1 ? `${what} (${failed})` : what);
  }

  const secondsSince = (beganMs) => Math.round((now() - beganMs) / 1000);
  const sum = (key) => rows.reduce((total, row) => total + row[key], 0);

  /** The failed tests by name, the table, what was left out, what failed, and the sum as the last line. */
  function lines() {
    const [passed, failed, skipped] = [sum('passed'), sum('failed'), sum('skipped')];
    const total = { name: 'all', passed, failed, skipped, seconds: secondsSince(startedMs) };
    const cells = [...rows, total].map((row) => [row.name, ...COLUMNS.slice(1).map((key) => String(row[key]))]);
    return [
      // Hosted runners show the end of a long output first.
      ...failedTests,
      ...(failedTests.length ? [''] : []),
      ...[COLUMNS, ...cells].map(
        ([name, ...figures]) => name.padEnd(12) + figures.map((text) => text.padStart(9)).join(''),
      ),
      ...leftOut.map((what) => `left out: ${what}`),
      ...failures.map((what) => `failed: ${what}`),
      `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`,
    ];
  }

  return { part, lines, hasFailed: () => sum('failed') > 0 };
}

/**
 * Counts what Vitest's JSON reporter says of a run, and names each failed test: its file, its full title, and the first
 * line of its error. A run that crashed, saw an error outside of its tests, or ran nothing at all is a failure, too.
 * @param {{ testResults: object[], numPassedTests: number, numFailedTests: number, numPendingTests: number,
 *   numTodoTests: number } | undefined} written undefined where Vitest wrote none
 * @param {{ code: number, folder: string }} run the exit code, and the folder that the names of files are relative to
 */
export function countTests(written, { code, folder }) {
  if (!written) return { failed: 1, tests: [`the run ended with code ${code} before it wrote its results`] };
  const tests = written.testResults.flatMap((file) => failuresIn(file, relative(folder, file.name)));
  const passed = written.numPassedTests;
  if (tests.length === 0 && (code !== 0 || passed === 0)) {
    tests.push(passed === 0 ? 'no test was run' : `code ${code} without a failed test: an error outside of the tests`);
  }
  return { passed, failed: tests.length, skipped: written.numPendingTests + written.numTodoTests, tests };
}

/** Failed tests of a file, or the file itself where it failed as a whole, as in loading or in a hook around its tests. */
function failuresIn({ status, message, assertionResults }, path) {
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (status === 'failed' && failed.length === 0) {
    return [`${path}: ${firstLine(message) || 'failed outside of its tests'}`];
  }
  return failed.map(({ ancestorTitles, title, failureMessages }) =>
    [path, ...ancestorTitles, `${title}: ${firstLine(failureMessages[0])}`].join(' > '),
  );
}

const firstLine = (text = '') => stripVTControlCharacters(text).trimStart().split('\n', 1)[0];
