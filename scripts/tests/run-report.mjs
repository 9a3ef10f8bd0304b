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
  const unsteady = [];
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

  function add(row, what, { passed = 0, failed = 0, skipped = 0, tests = [], unsteadyTests = [], isLeftOut = false }) {
    failedTests.push(...tests.map((test) => `${row.name}: ${test}`));
    unsteady.push(...unsteadyTests.map((test) => `${row.name}: ${test}`));
    row.passed += passed;
    row.failed += failed;
    row.skipped += skipped;
    if (isLeftOut) leftOut.push(what);
    if (failed) failures.push(failed > 1 ? `${what} (${failed})` : what);
  }

  const secondsSince = (beganMs) => Math.round((now() - beganMs) / 1000);
  const sum = (key) => rows.reduce((total, row) => total + row[key], 0);

  /** The failed tests by name, the table, what was left out, what was unsteady, what failed, and the sum as the last line. */
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
      ...unsteady.map((test) => `passed only when it was run again: ${test}`),
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
  const tests = failuresOf(written, folder).map(asLine);
  const passed = written.numPassedTests;
  if (tests.length === 0 && (code !== 0 || passed === 0)) {
    tests.push(passed === 0 ? 'no test was run' : `code ${code} without a failed test: an error outside of the tests`);
  }
  return { passed, failed: tests.length, skipped: written.numPendingTests + written.numTodoTests, tests };
}

/** More files than this don't fail by chance. */
const AGAIN_MAX_FILES = 3;

/** @returns {string[]} the paths of the files to run once more; none where more failed than chance explains, or no file did */
export function filesToRunAgain(written) {
  const failed = (written?.testResults ?? []).filter(({ status }) => status === 'failed').map(({ name }) => name);
  return failed.length <= AGAIN_MAX_FILES ? failed : [];
}

/**
 * Puts what a second run says of some files in the place of what the first one said.
 * @param {{ testResults: object[] }} first what Vitest wrote of all files
 * @param {{ testResults: object[] } | undefined} second what it wrote of those that were run again, if it did
 * @param {{ code: number, folder: string }} run the second one's exit code, and the folder that names of files are relative to
 * @returns what `countTests` returns, and in `unsteadyTests` the tests that failed the first time only
 */
export function countBothRuns(first, second, { code, folder }) {
  const ofFirst = countTests(first, { code: 1, folder });
  const ofSecond = countTests(second, { code, folder });
  if (!second) return { ...ofFirst, tests: [...ofFirst.tests, ...ofSecond.tests], failed: ofFirst.failed + 1 };
  const again = new Set(second.testResults.map(({ name }) => name));
  const replaced = first.testResults.filter(({ name }) => again.has(name)).flatMap((file) => file.assertionResults);
  const replacedOf = (...kinds) => replaced.filter(({ status }) => kinds.includes(status)).length;
  const stillFailing = new Set(failuresOf(second, folder).map(({ test }) => test));
  return {
    passed: ofFirst.passed - replacedOf('passed') + ofSecond.passed,
    failed: ofSecond.failed,
    skipped: ofFirst.skipped - replacedOf('pending', 'skipped', 'todo') + ofSecond.skipped,
    tests: ofSecond.tests,
    unsteadyTests: failuresOf(first, folder)
      .filter(({ test }) => !stillFailing.has(test))
      .map(asLine),
  };
}

const failuresOf = ({ testResults }, folder) =>
  testResults.flatMap((file) => failuresIn(file, relative(folder, file.name)));

const asLine = ({ test, why }) => `${test}: ${why}`;

/** Failed tests of a file, or the file itself where it failed as a whole, as in loading or in a hook around its tests. */
function failuresIn({ status, message, assertionResults }, path) {
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (status === 'failed' && failed.length === 0) {
    return [{ test: path, why: firstLine(message) || 'failed outside of its tests' }];
  }
  return failed.map(({ ancestorTitles, title, failureMessages }) => ({
    test: [path, ...ancestorTitles, title].join(' > '),
    why: firstLine(failureMessages[0]),
  }));
}

const firstLine = (text = '') => stripVTControlCharacters(text).trimStart().split('\n', 1)[0];
