import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../apps/server/test/support/free-port.ts';

/** A PostgreSQL of its own, with what a site's database may meet: a failover to a standby, and a clock that is wrong. */

/** Set by scripts/tests/faults.mjs. */
interface Programs {
  readonly postgres: string;
  readonly initdb: string;
  /** What to put before a command where this process is root, and who must own the files. */
  readonly prefix: readonly string[];
  readonly owner?: { readonly uid: number; readonly gid: number };
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface OwnPostgres {
  readonly address: Address;
  urlAt(address: Address): string;
  stop(): Promise<void>;
}

export interface ReplicatedPostgres extends OwnPostgres {
  /** Kills it like a power cut, and makes its standby the one that takes writes. @returns where that listens */
  failOver(): Promise<Address>;
}

const ROLE = 'satchel';
const START_MS = 30_000;
const POLL_MS = 50;
/** Each is an address of loopback. */
const FIRST_HOST = '127.0.0.2';
const STANDBY_HOST = '127.0.0.3';

const programsOf = (): Programs => JSON.parse(process.env.FAULTS_POSTGRES ?? 'null');

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

async function endWith(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  const backends = signal === 'SIGKILL' ? childrenOf(child.pid) : [];
  child.kill(signal);
  for (const pid of backends) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended with the others.
    }
  }
  await exited;
}

/** @param shim what starts every process of it: libfaketime by `env LD_PRELOAD=…` */
async function createClusters(shim: readonly string[] = []) {
  const { postgres, initdb, prefix, owner } = programsOf();
  const password = randomBytes(16).toString('hex');
  const dir = mkdtempSync(join(tmpdir(), 'satchel-pair-'));
  const port = await freePort();
  const own = (path: string) => owner && chownSync(path, owner.uid, owner.gid);
  own(dir);
  const passwordFile = join(dir, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  own(passwordFile);
  const run = ([program = '', ...args]: readonly string[]) =>
    execFileSync(program, args, { cwd: dir, stdio: ['ignore', 'ignore', 'inherit'] });
  const dataOf = (name: string) => join(dir, name);

  const urlAt = ({ host, port: at }: Address) => `postgresql://${ROLE}:${password}@${host}:${at}/postgres`;

  async function ask(address: Address, text: string): Promise<unknown> {
    const client = new pg.Client({ connectionString: urlAt(address), connectionTimeoutMillis: 2000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query(text)).rows[0];
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async function until(isSo: () => Promise<boolean>, child: ChildProcess): Promise<void> {
    const endMs = performance.now() + START_MS;
    while (!(await isSo().catch(() => false))) {
      const isLate = performance.now() > endMs;
      if (isLate || child.exitCode !== null)
        throw new Error(`PostgreSQL did not start:\n${readFileSync(join(dir, 'log'), 'utf8')}`);
      await sleep(POLL_MS);
    }
  }

  return {
    make(name: string): void {
      const access = ['--auth=scram-sha-256', `--pwfile=${passwordFile}`];
      run([
        ...prefix,
        initdb,
        '-D',
        dataOf(name),
        '-U',
        ROLE,
        '--encoding=UTF8',
        '--no-locale',
        '--no-sync',
        ...access,
      ]);
      const lines = ['all', 'replication'].map((what) => `host ${what} all 127.0.0.0/8 scram-sha-256\n`);
      appendFileSync(join(dataOf(name), 'pg_hba.conf'), lines.join(''));
    },
    copy(from: string, to: string): void {
      run(['cp', '-a', dataOf(from), dataOf(to)]);
      const signal = join(dataOf(to), 'standby.signal');
      writeFileSync(signal, '');
      own(signal);
    },
    async start(name: string, host: string, settings: Readonly<Record<string, string>> = {}) {
      const all = { listen_addresses: host, port: String(port), unix_socket_directories: '', ...settings };
      const args = Object.entries(all).flatMap(([setting, value]) => ['-c', `${setting}=${value}`]);
      const [program = '', ...rest] = [...prefix, ...shim, postgres, '-D', dataOf(name), ...args];
      const log = openSync(join(dir, 'log'), 'a', 0o600);
      const child = spawn(program, rest, { cwd: dir, stdio: ['ignore', log, log] });
      closeSync(log);
      await until(() => ask({ host, port }, 'select').then(() => true), child);
      return child;
    },
    port,
    password,
    urlAt,
    ask,
    until,
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** One that acknowledges a commit only when its standby has it, too. */
export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const clusters = await createClusters();
  const { port, password } = clusters;
  let [first, standby]: (ChildProcess | undefined)[] = [];
  const address = { host: FIRST_HOST, port };
  const stop = async () => {
    await endWith(first, 'SIGQUIT');
    await endWith(standby, 'SIGQUIT');
    clusters.remove();
  };
  try {
    clusters.make('first');
    clusters.copy('first', 'standby');
    const conninfo = `host=${FIRST_HOST} port=${port} user=${ROLE} password=${password} application_name=standby`;
    first = await clusters.start('first', FIRST_HOST, { synchronous_standby_names: 'standby' });
    standby = await clusters.start('standby', STANDBY_HOST, { primary_conninfo: conninfo });
    const isInStep = async () =>
      (await clusters.ask(address, `select from pg_stat_replication where sync_state = 'sync'`)) !== undefined;
    await clusters.until(isInStep, standby);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    address,
    urlAt: clusters.urlAt,
    async failOver() {
      await endWith(first, 'SIGKILL');
      const next = { host: STANDBY_HOST, port };
      await clusters.ask(next, 'select pg_promote()');
      return next;
    },
    stop,
  };
}

/** One whose clock is off. @param shim what makes it so */
export async function startPostgresBehind(shim: readonly string[]): Promise<OwnPostgres> {
  const clusters = await createClusters(shim);
  const address = { host: FIRST_HOST, port: clusters.port };
  let child: ChildProcess | undefined;
  const stop = async () => {
    await endWith(child, 'SIGQUIT');
    clusters.remove();
  };
  try {
    clusters.make('first');
    child = await clusters.start('first', FIRST_HOST);
  } catch (error) {
    await stop();
    throw error;
  }
  return { address, urlAt: clusters.urlAt, stop };
}
