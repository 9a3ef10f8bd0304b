import { globSync } from 'node:fs';
import { ROOT } from './paths.mjs';

const SECOND_MS = 1000;
const ANY_TEST = '{apps,packages,scripts,tests}/**/*.test.{ts,tsx,mjs,js,mts}';
const NEVER = ['**/node_modules/**', '**/dist/**'];

/** Vitest's projects (vitest.config.ts). */
export const SUITES = [
  { name: 'contract', include: ['packages/contract/src/**/*.test.ts'], timeoutMs: 10 * SECOND_MS },
  { name: 'container', include: ['packages/container/{src,test}/**/*.test.ts'], timeoutMs: 60 * SECOND_MS },
  { name: 'discord-schema', include: ['packages/discord-schema/src/**/*.test.ts'], timeoutMs: 20 * SECOND_MS },
  {
    name: 'server-unit',
    include: ['apps/server/src/**/*.test.ts'],
    exclude: ['**/*.api.test.ts'],
    timeoutMs: 30 * SECOND_MS,
  },
  {
    name: 'server-api',
    include: ['apps/server/**/*.api.test.ts'],
    timeoutMs: 60 * SECOND_MS,
    // Each app is made anew, whatever else the process has run; loading all of it anew, too, took a seventh of the time.
    sharesModules: true,
  },
  {
    name: 'sandbox',
    include: ['apps/sandbox/src/**/*.test.ts'],
    timeoutMs: 20 * SECOND_MS,
    // Each sandbox is made anew; Discord's schema is made ready once, which is half of the work.
    sharesModules: true,
  },
  {
    name: 'web',
    include: ['apps/web/src/**/*.test.{ts,tsx}'],
    setupFiles: ['apps/web/test-language.ts'],
    timeoutMs: 20 * SECOND_MS,
  },
  {
    name: 'scripts',
    include: ['scripts/**/*.test.mjs'],
    exclude: ['**/*.launch.test.mjs'],
    timeoutMs: 60 * SECOND_MS,
  },
  { name: 'launchers', include: ['scripts/**/*.launch.test.mjs'], timeoutMs: 120 * SECOND_MS },
  { name: 'acceptance', include: ['tests/acceptance/**/*.test.ts'], timeoutMs: 120 * SECOND_MS },
  {
    name: 'e2e',
    include: ['tests/e2e/**/*.test.ts'],
    timeoutMs: 180 * SECOND_MS,
    // The files of a worker share a site and a Chromium (tests/support/shared.ts).
    sharesModules: true,
  },
];

/** What a suite leaves out, beside what nobody wants. */
export const excludesOf = ({ exclude = [] }) => [...NEVER, ...exclude];

/** @returns {string[]} the test files of the named suites, relative to the repository */
export function findTestFiles(names) {
  return SUITES.filter(({ name }) => names.includes(name)).flatMap((suite) =>
    globSync(suite.include, { cwd: ROOT, exclude: excludesOf(suite) }),
  );
}

/** @returns {string[]} the test files that no suite would run: one that nobody runs only looks like a test */
export function findStrayTestFiles() {
  const known = new Set(findTestFiles(SUITES.map(({ name }) => name)));
  return globSync(ANY_TEST, { cwd: ROOT, exclude: NEVER }).filter((path) => !known.has(path));
}
