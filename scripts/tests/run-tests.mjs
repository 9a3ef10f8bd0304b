import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { buildInChild, SERVER_MAIN } from '../launch/build-outputs.mjs';
import { onStopRequest } from '../runtime/children.mjs';
import { ROOT, RUNTIME_DIR } from '../runtime/paths.mjs';
import { ensureChromium, ensureHeadlessShell, ensureNginx, ensurePgbouncer } from './browser-and-proxy.mjs';
import { startPostgres } from './private-postgres.mjs';
import { startGroup } from './process-group.mjs';
import { countBothRuns, countTests, createReport, filesToRunAgain } from './run-report.mjs';
import { makeScratchFolder } from './scratch-folder.mjs';
import { createScreen } from './screen.mjs';
import { findStrayTestFiles, findTestFiles } from './suites.mjs';

/** Where servers, sandboxes and launchers keep what they compiled: a sandbox starts in half of its processor's time. */
const COMPILED = { NODE_COMPILE_CACHE: join(RUNTIME_DIR, 'compiled') };
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');
const GATEWAY_READY = /^S3 at (\S+)$/m;
const WORKSPACES = [
  'packages/contract',
  'packages/container',
  'packages/discord-sandbox',
  'apps/server',
  'apps/web',
  'tests',
];

/** In the order in which they run: the quick ones that most often have something to say come first. */
const CHECKS = [
  [
    'format and lint',
    ['node_modules/@biomejs/biome/bin/biome', 'ci', ...(process.stdout.isTTY ? [] : ['--colors=off']), '.'],
  ],
  // Several checkers each work out again what they share: one takes half of the processor's time, and others run beside it.
  ...WORKSPACES.map((folder) => [
    `types of ${folder}`,
    ['node_modules/typescript/bin/tsc', '-p', folder, '--checkers', '1'],
  ]),
  ['imports', ['scripts/check.mjs', 'imports']],
  ['map', ['scripts/check.mjs', 'map']],
  ['lockfile', ['scripts/check.mjs', 'lockfile']],
  ['actions of workflows', ['scripts/check.mjs', 'actions']],
  ['examples of deploy', ['scripts/check.mjs', 'deploy']],
  ['dashboard and alert rules', ['scripts/check.mjs', 'monitoring']],
  ['lines that the operator copies', ['scripts/check.mjs', 'trial']],
  ['subjects of commits', ['scripts/check.mjs', 'commits']],
  ['texts', ['scripts/check.mjs', 'texts']],
];

/** On two cores Vitest would start one worker. These suites often wait, so more workers keep both cores busy. */
const TWO_AT_A_TIME = ['--maxWorkers=2'];
const THREE_AT_A_TIME = ['--maxWorkers=3'];
const FOUR_AT_A_TIME = ['--maxWorkers=4'];

/** Sites in S3 need the run's gateway (tests/support/site/servers.ts). */
const ARE_SITES_IN_S3 = process.env.SITE_BLOBS === 's3';
const CLUSTER_NEEDS = process.env.SITE_NODES ? ['nginx', 'gateway'] : [];

/**
 * With `scratch`, what tests store lies with the database; the suites that start whole sites take the disk. With `runsAgain`,
 * up to three files that failed are run once more, alone, and the table names what passed only then.
 */
const SUITES = {
  unit: {
    projects: ['contract', 'container', 'discord-sandbox', 'server-unit', 'web', 'scripts'],
    needs: ['postgres', 'scratch'],
    options: TWO_AT_A_TIME,
  },
  api: { projects: ['server-api'], needs: ['server', 'postgres', 'scratch', 'gateway'], options: THREE_AT_A_TIME },
  acceptance: {
    projects: ['launchers', 'acceptance'],
    needs: ['build', 'postgres', 'nginx', 'pgbouncer', 'gateway'],
    options: TWO_AT_A_TIME,
  },
  browser: {
    projects: ['e2e'],
    needs: ['build', 'postgres', 'chromium', ...CLUSTER_NEEDS],
    options: FOUR_AT_A_TIME,
    runsAgain: true,
  },
  /** By name only: `npm run stories`. */
  stories: { projects: ['stories'], needs: ['build', 'postgres', 'chromium'], options: TWO_AT_A_TIME },
};

/**
 * Each begins when one of the two before it ends: each leaves the processors idle where it waits for time to pass, for
 * processes to start and end, or for the last of its files.
 */
const ORDER = ['checks', 'unit', 'api', 'acceptance', 'browser'];
const SUITES_AT_A_TIME = 2;

/** Each takes a processor to itself for most of its time; the build and the unit tests run beside those of a whole run. */
const checksAtATime = (part) => (part ? 2 : 1);

/**
 * `npm test [-- checks|unit|api|acceptance|browser|stories [name …]]`: runs everything or one part, prints a table with the sum as
 * the last line and exits. Names pick the test files whose path has one, or else the tests whose title has it.
 */
export async function runTests([part, ...names]) {
  if (part && part !== 'checks' && !SUITES[part]) {
    process.stderr.write(`satchel: no part "${part}"; there are: checks, ${Object.keys(SUITES).join(', ')}\n`);
    process.exit(1);
  }
  const run = createRun({ sharesGateway: !part || ARE_SITES_IN_S3 });
  onStopRequest(() => run.interrupt());
  try {
    if (!part) for (const need of ['build', 'gateway']) run.begin(need);
    const waiting = (part ? [part] : ORDER).values();
    const takeOver = async () => {
      for (const each of waiting) await runPart(run, each, { names, atATime: checksAtATime(part) });
    };
    await Promise.all(Array.from({ length: SUITES_AT_A_TIME }, takeOver));
  } finally {
    await run.cleanUp();
  }
  process.stdout.write(`${heading('in sum')}${run.report.lines().join('\n')}\n`);
  process.exit(run.report.hasFailed() ? 1 : 0);
}

/** Runs checks or a suite; where another one prints, what it says comes after that one has ended. */
async function runPart(run, part, { names, atATime }) {
  const section = run.screen.open();
  try {
    await run.report.part(part, (count) =>
      part === 'checks' ? runChecks(run, { count, atATime, section }) : runSuite(run, part, { names, count, section }),
    );
  } finally {
    section.end();
  }
}

function createRun({ sharesGateway }) {
  const report = createReport();
  const folder = makeScratchFolder();
  const needs = createNeeds(folder, sharesGateway);
  const groups = new Set();
  let interrupted = false;

  /** @returns the exit code of a Node program; `keep` gets what it prints, which else goes straight on */
  async function runNode(args, { env, keep } = {}) {
    if (interrupted) return 130;
    const group = startGroup(args, { ...COMPILED, ...env }, keep);
    groups.add(group);
    const code = await group.exited;
    groups.delete(group);
    return code;
  }

  /** @returns what the suite's environment gets, or undefined with the need that can't be met counted as failed */
  async function meet(suite, count) {
    const env = {};
    for (const need of SUITES[suite].needs) {
      const met = interrupted ? undefined : await needs[need]().catch(complain);
      if (!met) return count(`${suite}: not run, for want of ${need}`, { failed: 1 });
      if (met.leftOut) count(met.leftOut, { isLeftOut: true });
      else if (need === 'postgres') Object.assign(env, { TEST_DATABASE_URL: met.url });
      else if (need === 'gateway') Object.assign(env, met.endpoint && { TEST_S3_ENDPOINT: met.endpoint });
      else Object.assign(env, met);
    }
    return env;
  }

  async function cleanUp() {
    for (const { started } of [needs.postgres, needs.gateway]) {
      const server = await started?.catch(() => undefined);
      await server?.stop?.();
    }
    rmSync(folder, { recursive: true, force: true });
  }

  async function interrupt() {
    interrupted = true;
    await Promise.all([...groups].map((group) => group.stop()));
    await cleanUp();
    process.exit(130);
  }

  return {
    report,
    screen: createScreen((text) => process.stdout.write(text)),
    folder,
    runNode,
    meet,
    /** Begins with a need before a suite asks for it, which then hears what became of it. */
    begin: (need) => void needs[need]().catch(() => undefined),
    cleanUp,
    interrupt,
    isInterrupted: () => interrupted,
  };
}

/** Each is met once, when the first suite that has it begins. `leftOut` says what is not run where a program is missing. */
const createNeeds = (folder, sharesGateway) => {
  const build = once(async () => ((await buildInChild()) ? {} : undefined));
  return {
    build,
    /** The built server, without the page: for one part, nothing else is built. */
    server: once(async () =>
      (await (build.started ?? buildInChild(['server']))) ? { TEST_SERVER: SERVER_MAIN } : undefined,
    ),
    chromium: once(async () => {
      const chromium = pathAs('CHROMIUM_PATH', ensureChromium());
      return chromium && { ...pathAs('HEADLESS_SHELL_PATH', ensureHeadlessShell()), ...chromium };
    }),
    nginx: once(
      async () => pathAs('NGINX_PATH', ensureNginx()) ?? { leftOut: 'the run behind TLS: there is no nginx' },
    ),
    pgbouncer: once(
      async () =>
        pathAs('PGBOUNCER_PATH', ensurePgbouncer()) ?? { leftOut: 'the run behind a pooler: there is no pgbouncer' },
    ),
    postgres: once(() => startPostgres({ folder })),
    scratch: once(async () => ({ TMPDIR: folder })),
    // In a run of some tests, those that need it start their own. Where there is none, they say so, and sites in S3 can't be.
    gateway: once(async () => {
      const gateway = sharesGateway ? await startS3Gateway(folder) : null;
      return gateway ?? (ARE_SITES_IN_S3 ? undefined : {});
    }),
  };
};

/**
 * Starts the S3 gateway of a run (tests/support/site/run-gateway.ts).
 * @param {string} folder where its monitor keeps what it writes; its objects are in memory
 * @returns {Promise<{ endpoint: string, stop: () => Promise<void> } | null>} null where its programs are missing, which it says
 */
async function startS3Gateway(folder) {
  let output = '';
  const ready = Promise.withResolvers();
  const keep = (text) => {
    output += text;
    const [, endpoint] = GATEWAY_READY.exec(output) ?? [];
    if (endpoint) ready.resolve(endpoint);
  };
  const group = startGroup([join(ROOT, 'tests/support/site/run-gateway.ts')], { TMPDIR: folder }, keep);
  const endpoint = await Promise.race([ready.promise, group.exited.then(() => null)]);
  if (endpoint === null) process.stderr.write(output);
  return endpoint && { endpoint, stop: group.stop };
}

function once(task) {
  const run = () => {
    run.started ??= task();
    return run.started;
  };
  return run;
}

const pathAs = (variable, path) => (path ? { [variable]: path } : undefined);

function complain(error) {
  if (error.output) process.stderr.write(`${error.output.trimEnd()}\n`);
  process.stderr.write(`satchel: ${error.message}\n`);
}

const heading = (text) => `\n── ${text}\n`;

async function runChecks(run, { count, atATime, section }) {
  const waiting = CHECKS.values();
  const takeOver = async () => {
    for (const [what, args] of waiting) {
      let output = '';
      const keep = (text) => {
        output += text;
      };
      const code = await run.runNode(args, { keep });
      if (run.isInterrupted()) return;
      section.write(`${heading(what)}${output}`);
      count(what, code === 0 ? { passed: 1 } : { failed: 1 });
      for (const [, part] of output.matchAll(/^left out: (.+)$/gm)) count(part, { isLeftOut: true });
    }
  };
  await Promise.all(Array.from({ length: atATime }, takeOver));
  if (run.isInterrupted()) return;
  section.write(heading('every test file belongs to a suite'));
  const stray = findStrayTestFiles();
  for (const path of stray) section.write(`${path} is run by no suite of vitest.config.ts\n`);
  count('test files', stray.length ? { failed: 1 } : { passed: 1 });
}

async function runSuite(run, suite, { names, count, section }) {
  if (run.isInterrupted()) return;
  section.write(heading(`${suite} tests`));
  const env = await run.meet(suite, count);
  if (!env || run.isInterrupted()) return;
  const { projects, options = [], runsAgain } = SUITES[suite];
  const files = findTestFiles(projects);
  const byTitle = names.length > 0 && !names.some((name) => files.some((path) => path.includes(name)));
  const picked = byTitle ? ['--testNamePattern', names.map(escapePattern).join('|')] : names;
  const runFiles = (...args) =>
    runVitest(run, suite, { env, args, keep: section.isShown() ? undefined : section.write });
  const first = await runFiles(...options, ...picked);
  const again = runsAgain && !first.hasOutsideErrors ? filesToRunAgain(first.written) : [];
  if (again.length > 0 && names.length === 0 && !run.isInterrupted()) {
    section.write(heading(`${suite} tests, again: ${again.map((path) => relative(ROOT, path)).join(', ')}`));
    const second = await runFiles('--maxWorkers=1', ...again);
    return count(`${suite} tests`, countBothRuns(first.written, second.written, { code: second.code, folder: ROOT }));
  }
  const counts = countTests(first.written, { code: first.code, folder: ROOT });
  // A name that picks titles skips every other test.
  count(`${suite} tests`, byTitle ? { ...counts, skipped: 0 } : counts);
}

/** @returns Vitest's exit code, its results (undefined where it crashed before it wrote them), and whether it saw errors outside of tests */
async function runVitest(run, suite, { env, args, keep }) {
  const output = join(run.folder, `${suite}.json`);
  const errors = join(run.folder, `${suite}.errors`);
  rmSync(output, { force: true });
  const projects = SUITES[suite].projects.flatMap((project) => ['--project', project]);
  const code = await run.runNode([VITEST, 'run', ...projects, ...args], {
    env: { ...env, TEST_RESULTS_FILE: output, OUTSIDE_ERRORS_FILE: errors },
    keep,
  });
  return { code, written: readResult(output), hasOutsideErrors: existsSync(errors) };
}

const escapePattern = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** @returns undefined where Vitest crashed before it wrote its results */
function readResult(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
