import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from './paths.mjs';
import { findProgram, isExecutable, isRoot } from './programs.mjs';

const START_TIMEOUT_MS = 30_000;
const NONE = { url: undefined, stop: async () => {} };

/**
 * Gives the tests a PostgreSQL beside PGlite: DATABASE_URL's, or a private one that lives only as long as the run.
 * @returns {Promise<{ url: string | undefined, stop: () => Promise<void> }>} no url after saying why
 */
export async function startPostgres() {
  if (process.env.DATABASE_URL) {
    say('database: PGlite, and the PostgreSQL of DATABASE_URL');
    return { ...NONE, url: process.env.DATABASE_URL };
  }
  const binaries = findBinaries();
  if (!binaries) {
    say('database: PGlite only; there is no postgres binary and no DATABASE_URL');
    return NONE;
  }
  const cluster = createCluster(binaries);
  try {
    await cluster.start();
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  say(`database: PGlite, and a private PostgreSQL (${binaries.postgres})`);
  return { url: cluster.url(), stop: cluster.stop };
}

function findBinaries() {
  const folders = listDebianVersions();
  const postgres = findProgram(['postgres'], folders);
  const initdb = postgres && [join(dirname(postgres), 'initdb'), findProgram(['initdb'])].find(isBinary);
  return initdb ? { postgres, initdb } : undefined;
}

const isBinary = (path) => path !== undefined && isExecutable(path);

function listDebianVersions() {
  const base = '/usr/lib/postgresql';
  try {
    const versions = readdirSync(base).sort((a, b) => Number(b) - Number(a));
    return versions.map((version) => join(base, version, 'bin'));
  } catch {
    return [];
  }
}

function createCluster({ postgres, initdb }) {
  // PostgreSQL refuses to run as root, so there it runs as somebody who may do nothing else.
  const owner = isRoot() ? findUnprivileged() : undefined;
  const as = owner ? { uid: owner.uid, gid: owner.gid } : {};
  const folder = mkdtempSync(join(owner ? '/tmp' : tmpdir(), 'satchel-postgres-'));
  const data = join(folder, 'data');
  const password = randomBytes(16).toString('hex');
  const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
  let child;
  let port;
  let log = '';

  async function start() {
    initialize({ initdb, folder, data, password, owner, as, env });
    port = await freePort();
    // Nothing here outlives the run, so nothing needs to reach the disk.
    const settings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=200'];
    const args = ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', ''];
    child = spawn(postgres, [...args, ...settings.flatMap((setting) => ['-c', setting])], {
      ...as,
      env,
      cwd: folder,
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      log = (log + text).slice(-4000);
    });
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!(await answers(port))) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`postgres did not start: ${log}`);
      await sleep(50);
    }
  }

  async function stop() {
    if (child && child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      // SIGINT is PostgreSQL's fast shutdown; after a while there is no more asking.
      child.kill('SIGINT');
      const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await ended;
      clearTimeout(late);
    }
    rmSync(folder, { recursive: true, force: true });
  }

  return { start, stop, url: () => `postgres://satchel:${password}@127.0.0.1:${port}/postgres` };
}

function initialize({ initdb, folder, data, password, owner, as, env }) {
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (owner) for (const path of [folder, passwordFile]) chownSync(path, owner.uid, owner.gid);
  const args = ['-D', data, '-U', 'satchel', '-E', 'UTF8', '--no-locale', '--no-sync', '-A', 'scram-sha-256'];
  const { status, stderr } = spawnSync(initdb, [...args, `--pwfile=${passwordFile}`], {
    ...as,
    env,
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
}

function findUnprivileged() {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const [, , uid, gid] = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody') ?? [];
  if (uid === undefined) throw new Error('no user "postgres" or "nobody" to run PostgreSQL as; set DATABASE_URL');
  return { uid: Number(uid), gid: Number(gid) };
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
