import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { onStopRequest } from '../runtime/children.mjs';
import { ROOT } from '../runtime/paths.mjs';
import { measurePace } from './pace.mjs';
import { startGroup } from './process-group.mjs';
import { findStrayTestFiles, PARTS } from './projects.mjs';

const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');
const TSC = 'node_modules/typescript/bin/tsc';
const WORKSPACES = [
  'packages/contract',
  'packages/container',
  'packages/client',
  'packages/discord-sandbox',
  'apps/server',
  'apps/web',
  'apps/cli',
  'tests',
];
const CHECKS = [
  ['format and lint', ['node_modules/@biomejs/biome/bin/biome', 'ci', '.']],
  ...WORKSPACES.map((folder) => [`types of ${folder}`, [TSC, '-p', folder]]),
  ['imports', ['scripts/check.mjs', 'imports']],
  ['lockfile', ['scripts/check.mjs', 'lockfile']],
  ['texts', ['scripts/check.mjs', 'texts']],
  ['browsers', ['scripts/check.mjs', 'browsers']],
];
const COLUMNS = ['passed', 'failed', 'skipped', 'CPU s', 'seconds'];

/**
 * `npm test`: checks and the main parts; `npm run test:all`: every part; one after the other, then a table whose last line is the
 * sum. `npm test -- OPTIONS`: Vitest with these options, in the Node and with the packages of this checkout.
 * @param {{ isAll?: boolean, args?: string[] }} options
 */
export async function runTests({ isAll = false, args }) {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-results-'));
  const leftOut = join(folder, 'left-out');
  let running;
  const run = (command, env = {}) => {
    running = startGroup(command, { TEST_LEFT_OUT: leftOut, ...env });
    return running.exited;
  };
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  onStopRequest(async () => {
    await running?.stop();
    removeFolder();
    process.exit(130);
  });
  if (args) {
    const code = await run([VITEST, 'run', ...args]);
    removeFolder();
    process.exit(code);
  }
  process.stdout.write(
    `satchel: deadlines of the tests are ${measurePace()} times as long as on an idle fast machine\n`,
  );
  const rows = [await timed('checks', () => runChecks(run))];
  for (const part of PARTS.filter(({ isInAllOnly }) => isAll || !isInAllOnly)) {
    rows.push(await timed(part.name, () => runPart(run, part, join(folder, `${part.name}.json`))));
  }
  const notRun = existsSync(leftOut) ? new Set(readFileSync(leftOut, 'utf8').trim().split('\n')) : [];
  removeFolder();
  report(rows, [...notRun]);
  process.exit(rows.some(({ failed }) => failed > 0) ? 1 : 0);
}

async function timed(name, task) {
  const [beganMs, beganCpu] = [performance.now(), cpuSeconds()];
  process.stdout.write(`\n── ${name}\n`);
  const counts = await task();
  const seconds = Math.round((performance.now() - beganMs) / 1000);
  return { name, ...counts, 'CPU s': Math.round(cpuSeconds() - beganCpu), seconds };
}

/** @returns {number} seconds that all processors of this machine have worked: also for what runs beside the tests */
const cpuSeconds = () =>
  cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0) / 1000;

async function runChecks(run) {
  const tests = [];
  for (const [what, command] of CHECKS) {
    process.stdout.write(`${what}\n`);
    if ((await run(command)) !== 0) tests.push(what);
  }
  const stray = findStrayTestFiles();
  if (stray.length > 0) tests.push(`test files that no part runs: ${stray.join(', ')}`);
  return { passed: CHECKS.length + 1 - tests.length, failed: tests.length, skipped: 0, tests };
}

async function runPart(run, { projects }, results) {
  const names = projects.flatMap((project) => ['--project', project]);
  const outputs = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
  const code = await run([VITEST, 'run', ...names, ...outputs]);
  if (!existsSync(results)) return { passed: 0, failed: 1, skipped: 0, tests: [`Vitest ended with code ${code}`] };
  return countTests(JSON.parse(readFileSync(results, 'utf8')), code);
}

/** Counts what Vitest wrote. An error outside of the tests, and a run of no test at all, count as a failure, too. */
function countTests({ testResults, numPassedTests, numPendingTests, numTodoTests }, code) {
  const tests = testResults.flatMap(failuresIn);
  if (tests.length === 0 && numPassedTests === 0) tests.push('no test was run');
  if (tests.length === 0 && code !== 0) tests.push(`code ${code} without a failed test: an error outside of the tests`);
  return { passed: numPassedTests, failed: tests.length, skipped: numPendingTests + numTodoTests, tests };
}

/** The failed tests of a file, or the file itself where it failed as a whole, as in loading or in a hook. */
function failuresIn({ name, status, message, assertionResults }) {
  const path = relative(ROOT, name);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (status === 'failed' && failed.length === 0) return [`${path}: ${firstLine(message)}`];
  return failed.map(({ fullName, failureMessages }) => `${path} > ${fullName}: ${firstLine(failureMessages[0])}`);
}

const firstLine = (text = '') => stripVTControlCharacters(text).trimStart().split('\n', 1)[0];

function report(rows, notRun) {
  const sum = (key) => rows.reduce((total, row) => total + row[key], 0);
  const total = { name: 'all', ...Object.fromEntries(COLUMNS.map((key) => [key, sum(key)])) };
  const line = (name, figures) => name.padEnd(12) + figures.map((text) => String(text).padStart(9)).join('');
  const lines = [
    '',
    ...rows.flatMap(({ name, tests }) => tests.map((test) => `failed: ${name}: ${test}`)),
    line('', COLUMNS),
    ...[...rows, total].map((row) =>
      line(
        row.name,
        COLUMNS.map((key) => row[key]),
      ),
    ),
    ...notRun.map((what) => `not run: ${what}`),
    `${total.passed} passed, ${total.failed} failed${total.skipped ? `, ${total.skipped} skipped` : ''}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
