import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LOADED_APART } from '../launch/build-outputs.mjs';
import { RELEASE_FILE, ROOT } from '../runtime/paths.mjs';
import { makeNotices } from './notices.mjs';
import { productionPackages } from './production-packages.mjs';

/** What is in a release: built server, page and command line, their packages, launchers, documentation. */

const FILES = [
  ...['CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'SECURITY.md', 'start.mjs'],
  ...['scripts/launch.mjs', 'scripts/node-pins.json', 'scripts/postgres-pins.json'],
  // The sandbox signs people in where there is no Discord application: a release can be tried out on its own machine.
  ...['packages/discord-sandbox/package.json', 'packages/discord-sandbox/README.md'],
];
const FOLDERS = [
  ...['deploy', 'docs', 'packages/discord-sandbox/src'],
  ...['scripts/launch', 'scripts/postgres', 'scripts/runtime'],
];
const BUILT = ['apps/cli/dist', 'apps/server/dist', 'apps/web/dist'];
/** What is not in a bundle: the server loads some packages apart, and the sandbox runs from its sources. */
const UNBUNDLED = { 'apps/server': LOADED_APART, 'packages/discord-sandbox': undefined };
const ALL = {
  'apps/cli': undefined,
  'apps/server': undefined,
  'apps/web': undefined,
  'packages/discord-sandbox': undefined,
};
const TESTS = /(^|\/)(testing|test)\/|\.test\.[a-z]+$|(^|\/)test-[^/]+$/;
/** What only a compiler or a debugger reads of a package. */
const FOR_DEVELOPERS = /\.(d\.[cm]?ts|map|tsbuildinfo)$/;
/** Vite's list of chunks, for tests: it names folders of the machine that built. */
const OF_BUILD = /\/\.vite\//;
const SCRIPTS = ['start', 'admin', 'bot:register'];

/**
 * @param {{ built: string, sbom: string, source: { version: string, commit: string, timeSeconds: number } }} options
 *   `built` holds what buildInto made
 * @returns {import('./archive.mjs').Entry[]}
 */
export function listTree({ built, sbom, source }) {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  return [
    ...FILES.map((path) => fileAt(path)),
    ...FOLDERS.flatMap((folder) => listFiles(folder).filter(({ path }) => !TESTS.test(path))),
    ...BUILT.flatMap((folder) => listFiles(folder, built).filter(({ path }) => !OF_BUILD.test(path))),
    ...productionPackages(lock, UNBUNDLED).flatMap(listPackage),
    { path: 'package.json', data: manifestOf(readManifest('package.json'), { scripts: SCRIPTS }) },
    { path: 'apps/server/package.json', data: manifestOf(readManifest('apps/server/package.json')) },
    { path: 'sbom.cdx.json', data: sbom },
    { path: 'THIRD-PARTY-NOTICES.txt', data: makeNotices(thirdParties(lock)) },
    { path: RELEASE_FILE, data: toJson({ ...source, node: process.versions.node }) },
  ];
}

/** @returns {string[]} the folders of all packages that a release contains, bundled or not */
export const thirdParties = (lock) => productionPackages(lock, ALL);

const listPackage = (folder) => listFiles(folder).filter(({ path }) => !FOR_DEVELOPERS.test(path));

/** @returns {import('./archive.mjs').Entry[]} every file below the folder, but for packages: those are listed by themselves */
function listFiles(folder, root = ROOT) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.name === 'node_modules') return [];
    if (entry.isDirectory()) return listFiles(path, root);
    if (!entry.isFile()) throw new Error(`${path} is neither a file nor a folder, and so has no place in a release`);
    return [fileAt(path, root)];
  });
}

function fileAt(path, root = ROOT) {
  const from = join(root, path);
  return { path, from, isExecutable: (statSync(from).mode & 0o100) !== 0 };
}

const readManifest = (path) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

/** Without what npm would have to install. */
function manifestOf({ name, version, license, type, engines, scripts }, { scripts: kept } = {}) {
  const ours = kept && Object.fromEntries(kept.map((script) => [script, scripts[script]]));
  return toJson({ name, version, private: true, license, type, engines, scripts: ours });
}

const toJson = (value) => `${JSON.stringify(value, null, 2)}\n`;
