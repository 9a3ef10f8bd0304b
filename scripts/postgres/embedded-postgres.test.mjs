import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listProcesses } from '../launch/testing/launch.mjs';
import { ROOT } from '../runtime/paths.mjs';
import { isRoot } from '../runtime/programs.mjs';
import { ensurePostgres } from './binaries.mjs';
import { startEmbeddedPostgres } from './embedded-postgres.mjs';
import { findProcesses, readPid } from './leftovers.mjs';

const pg = createRequire(join(ROOT, 'apps/server/package.json'))('pg');
const MODULE = new URL('./embedded-postgres.mjs', import.meta.url).href;

/** A cluster that was made and stopped once: most tests begin with a copy, which is quicker than another initdb. */
let made;
let folder;
let dataDir;
let started = [];
let environment;

beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), 'satchel-made-'));
  await (await startEmbeddedPostgres({ dataDir: made, isDurable: false })).stop();
});

afterAll(() => rmSync(made, { recursive: true, force: true }));

beforeEach(() => {
  environment = { ...process.env };
  folder = mkdtempSync(join(tmpdir(), 'satchel-embedded-'));
  dataDir = join(folder, 'data');
});

afterEach(async () => {
  for (const running of started.reverse()) await running.stop();
  started = [];
  await untilGone();
  process.env = environment;
  rmSync(folder, { recursive: true, force: true });
});

const putCluster = () => cpSync(made, dataDir, { recursive: true });

async function start(options = {}) {
  if (!existsSync(dataDir)) putCluster();
  const running = await startEmbeddedPostgres({ dataDir, isDurable: false, ...options });
  started.push(running);
  return running;
}

const refused = (options) =>
  start(options).then(
    () => expect.unreachable(),
    (error) => error.message,
  );

async function ask(url, sql) {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** A launcher in its own process, which can be killed. */
function launch() {
  const body = `import { startEmbeddedPostgres } from '${MODULE}';
    const { url } = await startEmbeddedPostgres({ dataDir: process.argv[1], isDurable: false });
    process.stdout.write(url);
    setInterval(() => {}, 1000);`;
  const args = ['--input-type=module', '-e', body, dataDir];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await gone;
  };
  started.push({ stop: kill });
  return { child, url: once(child.stdout.setEncoding('utf8'), 'data').then(([url]) => url), kill };
}

async function launched() {
  putCluster();
  const launcher = launch();
  return { ...launcher, url: await launcher.url };
}

const cluster = () => join(dataDir, 'postgres', 'data');
const logText = () => readFileSync(join(dataDir, 'postgres', 'postgres.log'), 'utf8');

async function untilGone() {
  while (findProcesses(cluster()).length > 0) await sleep(10);
}

/** Before everything else on PATH. */
function putProgram(name, text) {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(bin, name), 0o755);
  if (!process.env.PATH.startsWith(bin)) process.env.PATH = bin + delimiter + process.env.PATH;
}

describe('the embedded PostgreSQL', () => {
  it('makes a durable cluster that only its own user reaches, stops it in order, and has its rows at the next start', async () => {
    mkdirSync(dataDir);
    const first = await start({ isDurable: true });
    const names = ['fsync', 'full_page_writes', 'synchronous_commit', 'data_checksums', 'listen_addresses'];
    const settings = await ask(first.url, `select ${names.map((name) => `current_setting('${name}') as ${name}`)}`);
    expect(settings).toEqual([
      { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on', data_checksums: 'on', listen_addresses: '' },
    ]);
    expect(statSync(join(dataDir, 'postgres')).mode & 0o777).toBe(0o700);
    await ask(first.url, 'create table kept as select 7 as number');
    await first.stop();
    expect(logText()).toMatch(/database system is shut down\n$/);
    expect(readdirSync(join(dataDir, 'postgres')).sort()).toEqual(['data', 'postgres.log']);
    const second = await start();
    expect(second.url).toBe(first.url);
    expect(await ask(second.url, 'select number from kept')).toEqual([{ number: 7 }]);
  });

  it('starts again at the same address when its postmaster or its watcher is killed, with what was committed', async () => {
    const { url } = await start({ isDurable: true });
    await ask(url, 'create table kept (number int)');
    for (const [number, victim] of ['postmaster', 'watcher', 'postmaster'].entries()) {
      await ask(url, `insert into kept values (${number})`);
      const postmaster = readPid(cluster());
      const parent = /^PPid:\t(\d+)/m.exec(readFileSync(`/proc/${postmaster}/status`, 'utf8'))[1];
      process.kill(victim === 'postmaster' ? postmaster : Number(parent), 'SIGKILL');
      const count = () => ask(url, 'select count(*)::int as count from kept').catch(() => 'not yet');
      while (readPid(cluster()) === postmaster || (await count()) === 'not yet') await sleep(20);
      expect(await count()).toEqual([{ count: number + 1 }]);
    }
  });

  it('says why it gives up when PostgreSQL can not start again', async () => {
    const running = await start();
    rmSync(join(cluster(), 'global', 'pg_control'));
    process.kill(readPid(cluster()), 'SIGKILL');
    expect(await running.exited).toMatch(/^PostgreSQL did not start in .*postgres\.log has the reason$/);
  });

  it('ends with its launcher, however that ends, and starts again', async () => {
    const launcher = await launched();
    await ask(launcher.url, 'create table kept as select 7 as number');
    await launcher.kill();
    await untilGone();
    expect(logText()).toMatch(/database system is shut down\n$/);
    const { url } = await start();
    expect(await ask(url, 'select number from kept')).toEqual([{ number: 7 }]);
  });

  it('ends what a killed launcher and its killed watchers left behind', async () => {
    const launcher = await launched();
    await ask(launcher.url, 'create table kept as select 7 as number');
    const orphan = readPid(cluster());
    const [, watcher] = /^PPid:\t(\d+)/m.exec(readFileSync(`/proc/${orphan}/status`, 'utf8'));
    const watchers = listProcesses().filter(
      ({ pid, parent }) => pid !== orphan && [pid, parent].includes(Number(watcher)),
    );
    expect(watchers).toHaveLength(2);
    for (const { pid } of watchers) process.kill(pid, 'SIGSTOP');
    await launcher.kill();
    for (const { pid } of watchers) process.kill(pid, 'SIGKILL');
    expect(findProcesses(cluster())).toContain(orphan);
    const { url } = await start();
    expect(findProcesses(cluster())).not.toContain(orphan);
    expect(await ask(url, 'select number from kept')).toEqual([{ number: 7 }]);
  });

  it('is not shared: a second launcher is refused by name, also while the first is stopped', async () => {
    const launcher = await launched();
    const line = `another Satchel (process ${launcher.child.pid}) is using ${dataDir}; stop it or set DATA_DIR`;
    expect(await refused()).toBe(line);
    launcher.child.kill('SIGSTOP');
    expect(await refused()).toBe(`another Satchel is using ${dataDir}; stop it or set DATA_DIR`);
    launcher.child.kill('SIGCONT');
    expect(await ask(launcher.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('starts when a lock file names a process that has its number by chance', async () => {
    const launcher = await launched();
    const lockFiles = [join(cluster(), 'postmaster.pid'), join(dataDir, 'postgres', '.s.PGSQL.5432.lock')];
    const locks = lockFiles.map((path) => ({ path, lines: readFileSync(path, 'utf8').split('\n') }));
    await launcher.kill();
    await untilGone();
    for (const { path, lines } of locks) writeFileSync(path, [String(process.ppid), ...lines.slice(1)].join('\n'));
    const { url } = await start();
    expect(await ask(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('does not take a cluster for made when the launcher was killed while making it', async () => {
    const launcher = launch();
    const home = join(dataDir, 'postgres');
    const isBegun = () => existsSync(home) && readdirSync(home).some((name) => /^new-[0-9a-f]+$/.test(name));
    while (!isBegun()) await sleep(5);
    await launcher.kill();
    const { url } = await start();
    expect(await ask(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(readdirSync(home).filter((name) => name.startsWith('new-'))).toEqual([]);
  });

  it('lies in a folder whose path is too long for a socket', async () => {
    dataDir = join(folder, 'long'.repeat(40));
    const { url, stop } = await start();
    expect(await ask(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    const socketFolder = new URL(url).searchParams.get('host');
    expect(statSync(socketFolder).mode & 0o777).toBe(0o700);
    await stop();
    expect(existsSync(socketFolder)).toBe(false);
  });

  it('asks for a password where it listens on a port', async () => {
    mkdirSync(dataDir);
    const { url } = await start({ isTcp: true });
    expect(await ask(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    const stranger = new URL(url);
    stranger.password = 'guessed';
    await expect(ask(stranger.href, 'select 1')).rejects.toThrow('password authentication failed');
  });
});

describe('a data directory that PostgreSQL can not use', () => {
  it('is left as it is when the cluster is of another major version', async () => {
    mkdirSync(cluster(), { recursive: true });
    writeFileSync(join(cluster(), 'PG_VERSION'), '16\n');
    expect(await refused()).toMatch(
      / is of PostgreSQL 16 and can't be used by PostgreSQL \d+; docs\/deploy\/backup-and-upgrade\.md/,
    );
    expect(readdirSync(join(dataDir, 'postgres'))).toEqual(['data']);
    expect(readdirSync(cluster())).toEqual(['PG_VERSION']);
  });
});

describe.runIf(isRoot())('PostgreSQL started by root', () => {
  it('leaves the files to root, in a user namespace', async () => {
    const { url } = await start();
    expect(await ask(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(statSync(cluster()).uid).toBe(0);
  });

  it('runs as another user where namespaces are forbidden, and goes back when they are not', async () => {
    chmodSync(folder, 0o700);
    await (await start()).stop();
    putProgram('unshare', 'echo "unshare failed: Operation not permitted" >&2; exit 1');
    const { url, stop } = await start();
    expect(await ask(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    const { uid } = statSync(join(cluster(), 'PG_VERSION'));
    expect(uid).not.toBe(0);
    expect(statSync(`/proc/${readPid(cluster())}`).uid).toBe(uid);
    await stop();
    rmSync(join(folder, 'bin'), { recursive: true });
    await start();
    expect(statSync(join(cluster(), 'PG_VERSION')).uid).toBe(0);
  });

  it('says in one line what to do where neither is possible', async () => {
    for (const name of ['unshare', 'setpriv']) putProgram(name, 'exit 1');
    expect(await refused()).toMatch(/^PostgreSQL refuses to run as root, .* or set DATABASE_URL\.$/);
  });
});

describe('where there is no package', () => {
  const machine = { platform: 'linux', arch: 'x64', musl: true };
  const putPostgres = (version) => {
    for (const name of ['postgres', 'initdb']) putProgram(name, `echo "${name} (PostgreSQL) ${version}"`);
  };

  it('the postgres on PATH is used', async () => {
    putPostgres('17.2 (Alpine)');
    expect(await ensurePostgres({ machine })).toMatchObject({ postgres: join(folder, 'bin', 'postgres'), major: 17 });
  });

  it('one that is too old, or none, ends in one line that names DATABASE_URL', async () => {
    putPostgres('14.9');
    await expect(ensurePostgres({ machine })).rejects.toThrow(
      /^there is no PostgreSQL to fetch for linux-x64 with musl; install PostgreSQL 15 or newer .*, or set DATABASE_URL\.$/,
    );
  });
});
