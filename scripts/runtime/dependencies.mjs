// Runs on Node 20: only what that knows, and no import that needs node_modules.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withLock } from './mutex.mjs';
import { runNpm } from './npm.mjs';
import { fail, isRelease, ROOT, RUNTIME_DIR, say } from './paths.mjs';

const LOCKFILE = join(ROOT, 'package-lock.json');
const STAMP = join(ROOT, 'node_modules', '.satchel', 'installed');

/**
 * Installs what package-lock.json names, if that is not what is there. Needs no network when it is.
 * @param {{ beside?: () => Promise<unknown> }} [options] begun with an installation, so that the two share the time it
 *   takes. Its failure is ignored here: the code that needs its result calls it again
 */
export async function ensureDependencies({ beside = async () => {} } = {}) {
  if (isRelease()) return;
  const lockText = readFileSync(LOCKFILE, 'utf8');
  const wanted = fingerprint(lockText);
  const packages = JSON.parse(lockText).packages;
  if (readStamp() === wanted && isComplete(packages)) return;
  await withLock(
    RUNTIME_DIR,
    'install',
    async (alsoHeldBy) => {
      if (readStamp() === wanted && isComplete(packages)) return;
      if (!isInstalledByHand(packages)) await Promise.all([install(alsoHeldBy), beside().catch(() => {})]);
      mkdirSync(dirname(STAMP), { recursive: true });
      writeFileSync(STAMP, wanted);
    },
    () => say('another start is installing packages; waiting for it …'),
  );
}

/** Packages with machine code differ by platform, so a checkout that moved installs again. */
function fingerprint(lockText) {
  return `${process.platform}-${process.arch} ${createHash('sha256').update(lockText).digest('hex')}`;
}

function readStamp() {
  return existsSync(STAMP) ? readFileSync(STAMP, 'utf8') : undefined;
}

/** Whether every package that must be there has its manifest: a folder deleted by hand is noticed and healed. */
function isComplete(packages) {
  return Object.entries(packages).every(
    ([path, entry]) => !path || entry.optional || existsSync(join(ROOT, path, 'package.json')),
  );
}

/**
 * Whether an `npm install` by hand has finished with exactly this lockfile: npm writes its own record into node_modules
 * as its last act. Then there is nothing to do, and deleting node_modules would disturb the processes that use it.
 */
function isInstalledByHand(packages) {
  const record = join(ROOT, 'node_modules', '.package-lock.json');
  if (!existsSync(record) || !isComplete(packages)) return false;
  const present = JSON.parse(readFileSync(record, 'utf8')).packages;
  const isSame = (path) => present[path]?.integrity === packages[path].integrity;
  return Object.keys(packages).every((path) => !packages[path].integrity || isSameOrForeign(path));

  function isSameOrForeign(path) {
    return isSame(path) || (packages[path].optional && !(path in present) && !isForThisMachine(packages[path]));
  }
}

/** Optional packages are mostly machine code for one platform; the rest are only wanted by such packages of other platforms. */
function isForThisMachine({ os, cpu, libc }) {
  if (!os?.includes(process.platform) || !cpu?.includes(process.arch)) return false;
  // Which C library this is would take a look at the system; a wrong guess only costs one installation.
  return !libc || libc.includes('glibc');
}

async function install(alsoHeldBy) {
  say('installing packages …');
  const startedMs = Date.now();
  rmSync(STAMP, { force: true });
  // No package of ours needs an install script (scripts/checks/check-lockfile.mjs sees to it), so none gets to run.
  const { code, output } = await runNpm(['ci', '--ignore-scripts'], { cwd: ROOT, onStart: alsoHeldBy });
  if (code !== 0) fail('could not install the packages of package-lock.json (npm ci); see above.', output);
  say(`packages installed in ${Math.round((Date.now() - startedMs) / 1000)} s.`);
}
