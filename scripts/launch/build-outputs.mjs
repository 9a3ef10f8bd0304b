import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startNode } from '../runtime/children.mjs';
import { withLock } from '../runtime/mutex.mjs';
import { isRelease, ROOT, RUNTIME_DIR, say } from '../runtime/paths.mjs';
import { explain } from '../runtime/start-error.mjs';
import { readCommit } from './source.mjs';

/** Beside node_modules' own things, so that a new installation also builds again. */
const WORK_DIR = join(ROOT, 'node_modules', '.satchel');
const SHARED_SOURCES = ['package-lock.json', 'scripts/launch/build-outputs.mjs', 'packages', 'tsconfig.base.json'];
const NOT_SOURCES = new Set(['node_modules', 'dist']);
const TEST_FILE = /\.test\.[a-z]+$/;

/** Where the built server begins. */
export const SERVER_MAIN = join(ROOT, 'apps/server/dist/main.js');

const OUTPUTS = [
  { name: 'server', sources: ['apps/server'], dist: 'apps/server/dist', proof: 'main.js', build: buildServer },
  {
    name: 'web',
    sources: ['apps/web'],
    dist: 'apps/web/dist',
    proof: 'index.html',
    build: buildWeb,
    previous: { folder: 'assets', keptIn: 'previous' },
  },
  {
    name: 'command line',
    // It has the manifest of the pages.
    sources: ['apps/cli', 'apps/web'],
    dist: 'apps/cli/dist',
    proof: 'satchel.mjs',
    build: buildCommandLine,
  },
];

const outputsOf = (names) => OUTPUTS.filter(({ name }) => !names || names.includes(name));

/**
 * Builds what is missing or whose sources changed, in a process that ends: the bundler's memory stays with its process.
 * @param {('server' | 'web' | 'command line')[]} [names] all where left out
 * @returns false after saying what went wrong; `process.exitCode` is the build's then
 */
export async function buildInChild(names) {
  if (isRelease()) return true;
  if (areFresh(outputsOf(names))) {
    noteCommit();
    return true;
  }
  const { code } = await startNode([fileURLToPath(import.meta.url), ...(names ?? [])]).exited;
  if (code !== 0) process.exitCode = code;
  return code === 0;
}

/** Builds what is missing or whose sources changed. @returns false after saying what went wrong */
export async function buildAll({ isForced = false, names } = {}) {
  if (isRelease()) return true;
  const outputs = outputsOf(names);
  if (!isForced && areFresh(outputs)) {
    noteCommit();
    return true;
  }
  return withLock(
    RUNTIME_DIR,
    'build',
    async () => {
      const shared = hashFiles(SHARED_SOURCES);
      for (const output of outputs) {
        const hash = hashSources(output, shared);
        if (!isForced && isFresh(output, hash)) continue;
        if (!(await buildOne(output, hash))) return false;
      }
      return true;
    },
    () => say('another start is building; waiting for it …'),
  );
}

/** Builds all for a release, below an empty folder of this checkout. @returns false after saying what went wrong */
export async function buildInto(folder) {
  for (const output of OUTPUTS) {
    if (!(await makeOutput(output, join(folder, output.dist), folder))) return false;
  }
  return true;
}

const stampOf = (output) => join(WORK_DIR, `${output.name}.stamp`);

function areFresh(outputs) {
  const shared = hashFiles(SHARED_SOURCES);
  return outputs.every((output) => isFresh(output, hashSources(output, shared)));
}

function isFresh(output, hash) {
  if (!existsSync(join(ROOT, output.dist, output.proof)) || !existsSync(stampOf(output))) return false;
  return readFileSync(stampOf(output), 'utf8') === hash;
}

const hashSources = ({ sources }, shared) =>
  createHash('sha256').update(shared).update(hashFiles(sources)).digest('hex');

/** Contents, not times: a checkout or a copy changes every time and nothing else. */
function hashFiles(sources) {
  const hash = createHash('sha256');
  for (const path of sources.flatMap((source) => [...listFiles(source)])) {
    const content = readFileSync(join(ROOT, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest();
}

function* listFiles(path) {
  const absolute = join(ROOT, path);
  if (!existsSync(absolute)) return;
  const entries = readdirOrFile(absolute);
  if (!entries) return yield path;
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (NOT_SOURCES.has(entry.name) || TEST_FILE.test(entry.name)) continue;
    yield* listFiles(`${path}/${entry.name}`);
  }
}

function readdirOrFile(absolute) {
  try {
    return readdirSync(absolute, { withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}

async function buildOne(output, hash) {
  const next = join(WORK_DIR, `${output.name}-next`);
  rmSync(next, { recursive: true, force: true });
  if (!(await makeOutput(output, next, ROOT))) return false;
  if (output.previous) keepPrevious(join(ROOT, output.dist), next, output.previous);
  // Moved into place whole: an interrupted build leaves the former output, and a running server never a half one.
  rmSync(stampOf(output), { force: true });
  rmSync(join(ROOT, output.dist), { recursive: true, force: true });
  renameSync(next, join(ROOT, output.dist));
  writeFileSync(stampOf(output), hash);
  return true;
}

/** @param root below which the outputs before this one are */
async function makeOutput(output, folder, root) {
  say(`building the ${output.name} …`);
  mkdirSync(folder, { recursive: true });
  try {
    await output.build(folder, root);
    return true;
  } catch (error) {
    process.stderr.write(`${error.message}\nsatchel: could not build the ${output.name}; see above.\n`);
    return false;
  }
}

/**
 * Keeps what only the former build has, for pages of that build that are still open: `{keptIn}/{folder}/…` beside the
 * new files. What that build itself had kept goes.
 */
function keepPrevious(dist, next, { folder, keptIn }) {
  const former = join(dist, folder);
  if (!existsSync(former)) return;
  const kept = join(next, keptIn, folder);
  mkdirSync(kept, { recursive: true });
  for (const name of readdirSync(former)) {
    const isKept = !name.endsWith('.br') && !existsSync(join(next, folder, name));
    if (isKept) cpSync(join(former, name), join(kept, name), { recursive: true });
  }
}

/**
 * What stays in node_modules, of a release, too (scripts/release/tree.mjs): pino reads its own files at run time, pg looks
 * for a driver that is not there, and the clients of Discord and of S3 are loaded when they are first needed.
 */
export const LOADED_APART = ['pino', 'pg-native', '@discordjs/rest', '@aws-sdk/client-s3'];

/**
 * Our own code and nearly all libraries go into one file for each entry. A server of two thousand files took 0.71 s of
 * processor time to start and 127 MB, one of a single file takes 0.41 s and 109 MB.
 */
async function buildServer(outputDir) {
  const { rolldown } = await importFrom('apps/server', 'rolldown');
  for (const entry of ['main', 'satchel-admin', 'register']) {
    const input = join(ROOT, `apps/server/src/${entry}.ts`);
    await bundleEntry(rolldown, input, { file: join(outputDir, `${entry}.js`), sourcemap: true });
  }
  writeFileSync(join(outputDir, BUILD_FILE), describeBuild());
}

/** Beside the bundle: what `satchel-admin --version` says. */
const BUILD_FILE = 'build.json';

function describeBuild() {
  try {
    const { commit, isChanged } = readCommit();
    return `${JSON.stringify({ commit, is_changed: isChanged })}\n`;
  } catch {
    // Without git, or in a checkout of another user, a build is as good, except this.
    return `${JSON.stringify({ commit: 'unknown', is_changed: false })}\n`;
  }
}

/** A commit, or a change outside of the server, needs no new bundle, and names it otherwise. */
function noteCommit() {
  const path = join(dirname(SERVER_MAIN), BUILD_FILE);
  const text = describeBuild();
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  const next = `${path}.${process.pid}`;
  writeFileSync(next, text);
  renameSync(next, path);
}

/** In the place of apps/cli/src/verify/built-in-manifest.ts: what `satchel verify` compares sites with. */
const withManifest = (text) => ({
  name: 'satchel:built-in-manifest',
  load: {
    filter: { id: /\/verify\/built-in-manifest\.ts$/ },
    handler: () => `export const BUILT_IN = ${JSON.stringify(text)};`,
  },
});

/** One file that runs on Node 20 by itself, wherever it is copied to. */
async function buildCommandLine(outputDir, root) {
  const { rolldown } = await importFrom('apps/server', 'rolldown');
  const file = join(outputDir, 'satchel.mjs');
  const manifest = readFileSync(join(root, 'apps/web/dist/manifest.json'), 'utf8');
  const output = { file, banner: '#!/usr/bin/env node', minify: 'dce-only' };
  await bundleEntry(rolldown, join(ROOT, 'apps/cli/src/main.ts'), output, [withManifest(manifest)]);
  chmodSync(file, 0o755);
  writeFileSync(join(outputDir, 'satchel.1'), execFileSync(process.execPath, [file, 'completion', 'man']));
}

async function bundleEntry(rolldown, input, output, plugins = []) {
  const bundle = await rolldown({
    input,
    plugins,
    platform: 'node',
    // Paths in the bundle are relative to it.
    cwd: ROOT,
    external: (id) => isBuiltin(id) || LOADED_APART.includes(id),
    logLevel: 'warn',
  });
  try {
    await bundle.write({ ...output, format: 'esm', codeSplitting: false });
  } finally {
    await bundle.close();
  }
}

async function importFrom(workspace, name) {
  const from = createRequire(join(ROOT, workspace, 'package.json'));
  return import(pathToFileURL(from.resolve(name)).href);
}

async function buildWeb(outputDir) {
  const from = createRequire(join(ROOT, 'apps/web', 'package.json'));
  const vite = join(dirname(from.resolve('vite/package.json')), 'bin', 'vite.js');
  const args = [vite, 'build', '--outDir', outputDir, '--emptyOutDir', '--logLevel', 'warn'];
  // Ends with this process, which may be killed: two builds must not write to one folder.
  const { child, exited } = startNode(args, {
    cwd: join(ROOT, 'apps/web'),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { NODE_ENV: 'production' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  await once(child, 'close');
  if ((await exited).code !== 0) throw new Error(output);
  if (output.trim()) process.stdout.write(output);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const names = process.argv.slice(2);
  process.exit((await buildAll(names.length > 0 ? { names } : {}).catch(explain)) ? 0 : 1);
}
