import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../runtime/paths.mjs';

/**
 * What a project needs beside Node: each is a global setup of Vitest (tests/needs), which several projects share. Sites of
 * several nodes (SITE_NODES) stand behind nginx, with their files in S3.
 */
const SITE = ['postgres', 'build', ...(process.env.SITE_NODES ? ['proxies', 's3'] : [])];
const BROWSER = [...SITE, 'chromium', 'development-site'];
const BROWSER_SETUP = ['tests/support/tell-pages.ts'];

/** What runs in Node and in browsers alike is tested in both. */
const PORTABLE = ['packages/{contract,container,client}/{src,test}/**/*.test.ts'];

/** Whether a test, or a module that it imports by a path, needs a module of Node: a server, a file, another implementation. */
function needsNode(path, seen = new Set()) {
  if (seen.has(path)) return false;
  seen.add(path);
  const sources = Array.from(
    readFileSync(path, 'utf8').matchAll(/^import (?!type )[^']* from '([^']+)'/gm),
    ([, from]) => from,
  );
  const imported = sources.filter((from) => /^\..*\.ts$/.test(from)).map((from) => join(dirname(path), from));
  return sources.some((from) => from.startsWith('node:')) || imported.some((next) => needsNode(next, seen));
}

/** A page's timers wait 4 ms at least, a thousand uploads on a test's own clock seven minutes; in Node half a minute. */
const SLOW_IN_PAGES = ['counters', 'transfer'].map((name) => `packages/client/src/send/${name}.test.ts`);

const findNodeTests = (include) => globSync(include, { cwd: ROOT }).filter((path) => needsNode(join(ROOT, path)));

/**
 * Vitest's projects (vitest.config.ts). A test that takes longer than `seconds` hangs: times the run's pace, that is its deadline.
 * The files of a project that `sharesModules` are run by one process after the other in one module graph: an app, a site
 * or a browser is then loaded once for several files.
 */
export const PROJECTS = [
  { name: 'contract', include: ['packages/contract/src/**/*.test.ts'], seconds: 30, sharesModules: true },
  { name: 'container', include: ['packages/container/{src,test}/**/*.test.ts'], seconds: 60, sharesModules: true },
  // Its property test sends a thousand uploads.
  { name: 'client', include: ['packages/client/src/**/*.test.ts'], seconds: 180 },
  {
    name: 'portable',
    include: PORTABLE,
    exclude: [...findNodeTests(PORTABLE), ...SLOW_IN_PAGES],
    needs: ['chromium', 'engines'],
    setupFiles: ['tests/support/in-browser.ts'],
    inBrowsers: true,
    seconds: 300,
    sharesModules: true,
  },
  { name: 'discord-sandbox', include: ['packages/discord-sandbox/src/**/*.test.ts'], seconds: 60, sharesModules: true },
  {
    name: 'server-unit',
    include: ['apps/server/{src,test}/**/*.test.ts'],
    exclude: ['**/*.api.test.ts'],
    needs: ['postgres'],
    seconds: 60,
    sharesModules: true,
  },
  {
    name: 'web',
    include: ['apps/web/*.test.ts', 'apps/web/src/**/*.test.{ts,tsx}'],
    setupFiles: ['apps/web/test-fresh-modules.ts', 'apps/web/test-language.ts'],
    seconds: 60,
    sharesModules: true,
  },
  { name: 'scripts', include: ['scripts/**/*.test.mjs'], exclude: ['**/*.launch.test.mjs'], seconds: 60 },
  {
    name: 'server-api',
    include: ['apps/server/test/**/*.api.test.ts'],
    exclude: ['apps/server/test/{blobs/{blobs-s3,direct-reads,s3-faults},uploads/orphan-parts}.api.test.ts'],
    needs: ['postgres', 'memory-disk', 'server-build'],
    seconds: 180,
    sharesModules: true,
  },
  { name: 'launchers', include: ['scripts/**/*.launch.test.mjs'], needs: ['build'], seconds: 300 },
  {
    name: 'acceptance',
    include: ['tests/acceptance/**/*.test.ts'],
    exclude: ['tests/acceptance/{crash*,faults,crowd,s3}.test.ts'],
    needs: [...SITE, 'proxies'],
    seconds: 300,
  },
  {
    name: 'cli',
    include: ['tests/cli/**/*.test.ts'],
    exclude: ['tests/cli/killed.test.ts'],
    needs: SITE,
    seconds: 300,
  },
  { name: 'cli-unit', include: ['apps/cli/src/**/*.test.ts'], seconds: 60 },
  {
    name: 'journeys',
    include: ['tests/journeys/**/*.test.ts'],
    needs: BROWSER,
    setupFiles: BROWSER_SETUP,
    seconds: 300,
    sharesModules: true,
  },
  {
    name: 'engines',
    include: ['tests/engines/visitor.test.ts'],
    needs: [...BROWSER, 'engines'],
    setupFiles: BROWSER_SETUP,
    seconds: 300,
    sharesModules: true,
  },
  {
    name: 'engines-all',
    include: ['tests/engines/**/*.test.ts'],
    exclude: ['tests/engines/visitor.test.ts'],
    needs: [...BROWSER, 'engines'],
    setupFiles: BROWSER_SETUP,
    seconds: 600,
    sharesModules: true,
  },
  {
    name: 'crashes',
    include: ['tests/acceptance/{crash*,faults,crowd}.test.ts', 'tests/cli/killed.test.ts'],
    needs: [...SITE, 'proxies'],
    seconds: 600,
  },
  {
    name: 's3',
    include: [
      'apps/server/test/{blobs/{blobs-s3,direct-reads,s3-faults},uploads/orphan-parts}.api.test.ts',
      'tests/acceptance/s3.test.ts',
      'tests/e2e/direct-reads.test.ts',
    ],
    needs: [...BROWSER, 'proxies', 's3'],
    seconds: 300,
  },
  { name: 'gallery', include: ['tests/gallery/**/*.test.ts'], needs: ['chromium'], seconds: 300 },
  {
    name: 'e2e',
    include: ['tests/e2e/**/*.test.ts'],
    exclude: ['tests/e2e/direct-reads.test.ts'],
    needs: BROWSER,
    setupFiles: BROWSER_SETUP,
    seconds: 300,
    sharesModules: true,
  },
];

/** The rows of a run's table: `npm test` runs the first ones, `npm run test:all` all of them. */
export const PARTS = [
  {
    name: 'unit',
    projects: ['contract', 'container', 'client', 'discord-sandbox', 'server-unit', 'web', 'cli-unit', 'scripts'],
  },
  { name: 'api', projects: ['server-api'] },
  { name: 'acceptance', projects: ['acceptance'] },
  { name: 'command line', projects: ['cli'] },
  { name: 'journeys', projects: ['journeys'] },
  { name: 'engines', projects: ['engines'] },
  { name: 'engines, all', projects: ['engines-all', 'portable'], isInAllOnly: true },
  { name: 'launchers', projects: ['launchers'], isInAllOnly: true },
  { name: 'crashes', projects: ['crashes'], isInAllOnly: true },
  { name: 's3', projects: ['s3'], isInAllOnly: true },
  { name: 'gallery', projects: ['gallery'], isInAllOnly: true },
  { name: 'browser', projects: ['e2e'], isInAllOnly: true },
];

const NEVER = ['**/node_modules/**', '**/dist/**'];
export const excludesOf = ({ exclude = [] }) => [...NEVER, ...exclude];

/**
 * What to run again after a change of the app's sources while sites run from them (tests/needs/build.mjs): no import leads from
 * the tests of sites to these sources. Other projects' tests are found by their imports.
 * @returns {string[] | null}
 */
export const findSiteTests = () =>
  process.env.SITE_SOURCES
    ? PROJECTS.filter(({ needs = [] }) => needs.includes('build')).flatMap((project) =>
        globSync(project.include, { cwd: ROOT, exclude: excludesOf(project) }),
      )
    : null;

/** @returns {string[]} the test files that belong to no project of a part, and so never run */
export function findStrayTestFiles() {
  const run = PARTS.flatMap(({ projects }) => projects);
  const known = PROJECTS.filter(({ name }) => run.includes(name)).flatMap((project) =>
    globSync(project.include, { cwd: ROOT, exclude: excludesOf(project) }),
  );
  const all = globSync('{apps,packages,scripts,tests}/**/*.test.{ts,tsx,mjs,js,mts}', { cwd: ROOT, exclude: NEVER });
  return all.filter((path) => !known.includes(path));
}
