import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../runtime/start-error.mjs';
import { giveTo } from './unprivileged.mjs';
import { startWatched } from './watched-child.mjs';

/** Where a cluster lies below DATA_DIR, and how it is made. */

export const ROLE = 'satchel';
const LOG_MAX_BYTES = 1024 * 1024;

/** @returns the places of a data directory's cluster */
export function clusterOf(dataDir) {
  const home = join(dataDir, 'postgres');
  return { home, data: join(home, 'data'), log: join(home, 'postgres.log'), passwordFile: join(home, 'password') };
}

/** @throws StartError when the cluster is of another major version than the programs */
export function refuseOtherMajor({ data }, major) {
  const file = join(data, 'PG_VERSION');
  const made = existsSync(file) ? Number(readFileSync(file, 'utf8')) : major;
  if (made === major) return;
  throw new StartError(
    `${data} is of PostgreSQL ${made} and can't be used by PostgreSQL ${major}; docs/deploy/backup-and-upgrade.md says how its rows move`,
  );
}

/** @throws StartError */
export function makeHome({ home }, dataDir) {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
  } catch (error) {
    process.exitCode = 2;
    throw new StartError(`DATA_DIR: ${dataDir} can't be made or written (${error.code})`);
  }
}

/** Makes the cluster unless there is one: in a folder of another name, renamed when it is whole. */
export async function initialize({ home, data, passwordFile }, { programs, user, isTcp, isDurable }) {
  if (existsSync(join(data, 'PG_VERSION'))) {
    // PostgreSQL insists on it, and copies of a cluster often lose it.
    chmodSync(data, 0o700);
    return giveTo(user.owner, home);
  }
  for (const name of readdirSync(home)) {
    if (name.startsWith('new-')) rmSync(join(home, name), { recursive: true, force: true, maxRetries: 20 });
  }
  const next = join(home, `new-${randomBytes(6).toString('hex')}`);
  if (isTcp) writeFileSync(passwordFile, randomBytes(24).toString('hex'), { mode: 0o600 });
  giveTo(user.owner, home);
  const output = `${next}.log`;
  const { code } = await runInitdb({ next, output, passwordFile, programs, user, isTcp, isDurable, home });
  const said = readFileSync(output, 'utf8');
  rmSync(output, { force: true });
  if (code !== 0) throw new StartError(`${home}: the database could not be made (initdb)`, said);
  renameSync(next, data);
  if (isDurable) syncFolder(home);
}

async function runInitdb({ next, output, passwordFile, programs, user, isTcp, isDurable, home }) {
  const encoding = ['--encoding=UTF8', '--no-locale', '--data-checksums', '--no-instructions'];
  // A socket in a folder that is closed to others needs no password; a port that every user can reach does.
  const access = isTcp ? ['--auth=scram-sha-256', `--pwfile=${passwordFile}`] : ['--auth=trust'];
  const args = ['-D', next, '-U', ROLE, ...encoding, ...access, ...(isDurable ? [] : ['--no-sync'])];
  const child = startWatched([...user.prefix, programs.initdb, ...args], { cwd: home, log: output });
  return child.exited;
}

/** The rename itself must survive a power cut before anything in the cluster is acknowledged. */
function syncFolder(folder) {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** Keeps one former log. */
export function turnLog({ log }) {
  if (existsSync(log) && statSync(log).size > LOG_MAX_BYTES) renameSync(log, `${log}.1`);
}
