import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { withLock } from '../runtime/mutex.mjs';
import { POSTGRES_PINS, RUNTIME_DIR, say } from '../runtime/paths.mjs';
import {
  describeMachine,
  findPin,
  installPackage,
  isInstalled,
  packageFolder,
  thisMachine,
} from '../runtime/pinned-package.mjs';
import { findProgram, isExecutable } from '../runtime/programs.mjs';
import { StartError } from '../runtime/start-error.mjs';

/** PostgreSQL's programs: the package pinned for this platform, or the machine's if there is no package. */

const ALIAS = 'postgres';
const DEBIAN_VERSIONS = '/usr/lib/postgresql';
/** The oldest that Satchel works with. */
const OLDEST_MAJOR = 15;
const EXE = process.platform === 'win32' ? '.exe' : '';

/**
 * @param {{ pins?: object, machine?: { platform: string, arch: string, musl: boolean }, folder?: string }} [options]
 * @returns {Promise<{ postgres: string, initdb: string, pgCtl: string, major: number }>} paths of programs that run here
 * @throws StartError
 */
export async function ensurePostgres(options = {}) {
  const { pins = readPins(), machine = thisMachine(), folder = join(RUNTIME_DIR, 'postgres') } = options;
  const pin = findPin(pins, machine);
  if (pin) {
    await installOnce(folder, pin);
    const fetched = programsIn(join(packageFolder(folder, ALIAS), 'native', 'bin'));
    if (fetched) return fetched;
  }
  const installed = findInstalled();
  if (installed) return installed;
  const why = pin ? 'the PostgreSQL that was fetched does not run here' : noPackage(machine);
  const advice = `install PostgreSQL ${OLDEST_MAJOR} or newer (postgres and initdb on PATH), or set DATABASE_URL`;
  throw new StartError(`${why}; ${advice}.`);
}

const noPackage = (machine) => `there is no PostgreSQL to fetch for ${describeMachine(machine)}`;

const readPins = () => JSON.parse(readFileSync(POSTGRES_PINS, 'utf8'));

async function installOnce(folder, pin) {
  const wanted = { folder, alias: ALIAS, pin };
  if (isInstalled(wanted)) return;
  await withLock(
    folder,
    'install',
    async (alsoHeldBy) => {
      if (isInstalled(wanted)) return;
      say(`fetching PostgreSQL ${pin.version.replace(/-.*/, '')} into .runtime (once) …`);
      await installPackage({
        ...wanted,
        pinsFile: 'scripts/postgres-pins.json',
        isUsable: (unpacked) =>
          linkLibraries(unpacked) && existsSync(join(unpacked, 'native', 'bin', `postgres${EXE}`)),
        advice: 'Check the network, or set DATABASE_URL.',
        onStart: alsoHeldBy,
      });
    },
    () => say('another start is fetching PostgreSQL; waiting for it …'),
  );
}

/**
 * npm's archives hold no symbolic links. The package lists its own in a file, and would make them in an install script,
 * which is not run: the list is data, and only links from one file of the package to another are made.
 */
function linkLibraries(unpacked) {
  const list = join(unpacked, 'native', 'pg-symlinks.json');
  const links = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
  for (const { source, target } of links) {
    const [from, to] = [resolve(unpacked, source), resolve(unpacked, target)];
    const isInside = [from, to].every((path) => path.startsWith(join(unpacked, 'native') + sep));
    if (!isInside || dirname(from) !== dirname(to)) return false;
    rmSync(to, { force: true });
    symlinkSync(from.slice(dirname(from).length + 1), to);
  }
  return true;
}

function findInstalled() {
  const postgres = findProgram([`postgres${EXE}`], listDebianFolders());
  return postgres && programsIn(dirname(postgres));
}

function listDebianFolders() {
  if (!existsSync(DEBIAN_VERSIONS)) return [];
  const versions = readdirSync(DEBIAN_VERSIONS).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(DEBIAN_VERSIONS, version, 'bin'));
}

/** @returns the programs of a folder, or undefined when they are missing, too old, or don't run on this machine */
function programsIn(folder) {
  const [postgres, pgCtl] = ['postgres', 'pg_ctl'].map((name) => join(folder, `${name}${EXE}`));
  const initdb = [join(folder, `initdb${EXE}`), findProgram([`initdb${EXE}`])].find(
    (path) => path && isExecutable(path),
  );
  const major = majorOf(postgres);
  return initdb && major >= OLDEST_MAJOR && majorOf(initdb) === major ? { postgres, initdb, pgCtl, major } : undefined;
}

function majorOf(program) {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return status === 0 ? Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1]) : undefined;
}
