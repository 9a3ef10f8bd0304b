import { globSync } from 'node:fs';
import { ROOT } from '../runtime/paths.mjs';

const SECOND_MS = 1000;
const ANY_TEST = '{apps,packages,scripts,tests}/**/*.test.{ts,tsx,mjs,js,mts}';
const NEVER = ['**/node_modules/**', '**/dist/**'];

/**
 * Vitest's projects (vitest.config.ts). The files of `longest` begin first: one that begins last runs alone at the end, on one
 * processor.
 */
export const SUITES = [
  // Modules of these two, and what of the server is tested by itself, keep nothing between two calls.
  { name: 'contract', include: ['packages/contract/src/**/*.test.ts'], timeoutMs: 10 * SECOND_MS, sharesModules: true },
  {
    name: 'container',
    include: ['packages/container/{src,test}/**/*.test.ts'],
    timeoutMs: 60 * SECOND_MS,
    sharesModules: true,
  },
  {
    name: 'discord-sandbox',
    include: ['packages/discord-sandbox/src/**/*.test.ts'],
    timeoutMs: 20 * SECOND_MS,
    // Each sandbox is made anew; Discord's schema is made ready once, which is half of the work.
    sharesModules: true,
  },
  {
    name: 'server-unit',
    include: ['apps/server/{src,test}/**/*.test.ts'],
    exclude: ['**/*.api.test.ts'],
    timeoutMs: 30 * SECOND_MS,
    sharesModules: true,
  },
  {
    name: 'server-api',
    include: ['apps/server/test/**/*.api.test.ts'],
    timeoutMs: 120 * SECOND_MS,
    longest: [
      'apps/server/test/database/site-lock.api.test.ts',
      'apps/server/test/database/plans.api.test.ts',
      'apps/server/test/limits/timeouts.api.test.ts',
      'apps/server/test/roles/matrix.api.test.ts',
      'apps/server/test/folders/lifetime.api.test.ts',
      'apps/server/test/uploads/upload-socket-hostile.api.test.ts',
      'apps/server/test/roles/fuzz.api.test.ts',
      'apps/server/test/site/main.api.test.ts',
      'apps/server/test/limits/load.api.test.ts',
      'apps/server/test/admin/backup.api.test.ts',
      'apps/server/test/uploads/quota-property.api.test.ts',
      'apps/server/test/admin/fsck.api.test.ts',
      'apps/server/test/files/stills-removal.api.test.ts',
      'apps/server/test/uploads/upload-takeover.api.test.ts',
      'apps/server/test/limits/connections.api.test.ts',
    ],
    // Each app is made anew, whatever else the process has run; loading all of it anew, too, took a seventh of the time.
    sharesModules: true,
  },
  {
    name: 'web',
    include: ['apps/web/*.test.ts', 'apps/web/src/**/*.test.{ts,tsx}'],
    setupFiles: ['apps/web/test-begin-anew.ts', 'apps/web/test-language.ts'],
    timeoutMs: 20 * SECOND_MS,
    // React and the like are loaded once for a worker, the page's own modules for each file (test-begin-anew.ts).
    sharesModules: true,
  },
  {
    name: 'scripts',
    include: ['scripts/**/*.test.mjs'],
    exclude: ['**/*.launch.test.mjs'],
    timeoutMs: 60 * SECOND_MS,
  },
  {
    name: 'launchers',
    include: ['scripts/**/*.launch.test.mjs'],
    timeoutMs: 120 * SECOND_MS,
    longest: [
      'scripts/launch/crash.launch.test.mjs',
      'scripts/launch/start.launch.test.mjs',
      'scripts/launch/satchel.launch.test.mjs',
    ],
  },
  {
    name: 'acceptance',
    include: ['tests/acceptance/**/*.test.ts'],
    timeoutMs: 120 * SECOND_MS,
    longest: [
      'tests/acceptance/crash-rounds.test.ts',
      'tests/acceptance/crash.test.ts',
      'tests/acceptance/pooler.test.ts',
      'tests/acceptance/discord.test.ts',
      'tests/acceptance/s3.test.ts',
    ],
  },
  {
    name: 'e2e',
    include: ['tests/e2e/**/*.test.ts'],
    setupFiles: ['tests/support/browser/tell-pages.ts'],
    timeoutMs: 180 * SECOND_MS,
    longest: [
      'tests/e2e/gallery-owners.test.ts',
      'tests/e2e/gallery-visitors.test.ts',
      'tests/e2e/upload-disruptions.test.ts',
      'tests/e2e/upload-engine.test.ts',
      'tests/e2e/upload-zone.test.ts',
      'tests/e2e/opening-worker.test.ts',
      'tests/e2e/forget.test.ts',
      'tests/e2e/directories.test.ts',
      'tests/e2e/hostile.test.ts',
      'tests/e2e/stills.test.ts',
      'tests/e2e/discord.test.ts',
      'tests/e2e/first-load.test.ts',
      'tests/e2e/keys.test.ts',
      'tests/e2e/abuse.test.ts',
      'tests/e2e/epochs.test.ts',
      'tests/e2e/epoch-cells.test.ts',
      'tests/e2e/gallery-operator.test.ts',
      'tests/e2e/late-parts.test.ts',
    ],
    // The files of a worker share a site and a Chromium (tests/support/browser/shared.ts).
    sharesModules: true,
  },
  { name: 'stories', include: ['tests/stories/**/*.test.ts'], timeoutMs: 600 * SECOND_MS, sharesModules: true },
];

/** The paths that a suite leaves out, with those that every suite leaves out. */
export const excludesOf = ({ exclude = [] }) => [...NEVER, ...exclude];

/** @returns {string[]} the test files of the named suites, relative to the repository */
export function findTestFiles(names) {
  return SUITES.filter(({ name }) => names.includes(name)).flatMap((suite) =>
    globSync(suite.include, { cwd: ROOT, exclude: excludesOf(suite) }),
  );
}

/** @returns {string[]} the test files that belong to no suite, and so never run */
export function findStrayTestFiles() {
  const known = new Set(findTestFiles(SUITES.map(({ name }) => name)));
  return globSync(ANY_TEST, { cwd: ROOT, exclude: NEVER }).filter((path) => !known.has(path));
}
