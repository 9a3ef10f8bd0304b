import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createDatabaseLine } from '../../../apps/server/test/support/database/database-line.ts';

/** A real pgbouncer in transaction mode in front of the tests' database server. */
export interface Pooler {
  /** The same database through pgbouncer. */
  urlOf(databaseUrl: string): string;
  /** pgbouncer's counters of a database. */
  usageOf(databaseUrl: string): Promise<PoolerUsage>;
  stop(): Promise<void>;
}

export interface PoolerUsage {
  /** Client connections to pgbouncer, including those without a transaction. */
  readonly clients: number;
  /** Connections of pgbouncer to the database. */
  readonly connections: number;
  readonly transactions: number;
}

/** Fewer than the server's pool has, so that a client connection's transactions run on several database connections. */
export const CONNECTIONS_OF_POOLER = 3;
const PORT = 6432;
const START_TRIES = 200;
/** pgbouncer refuses to run as root, and switches to this user when root starts it. */
const USER = 'nobody';

const quoted = (text: string) => `'${decodeURIComponent(text).replaceAll("'", "''")}'`;

const config = (dir: string, url: URL) => `
[databases]
* = host=${url.hostname} port=${url.port} user=${quoted(url.username)}${url.password && ` password=${quoted(url.password)}`}
[pgbouncer]
listen_addr =
listen_port = ${PORT}
unix_socket_dir = ${dir}
; Only the owner of the folder reaches the socket.
auth_type = any
pool_mode = transaction
default_pool_size = ${CONNECTIONS_OF_POOLER}
logfile = ${dir}/pgbouncer.log
`;

/** Gives that user the folder. @returns pgbouncer's setting for it */
async function becomeUser(dir: string): Promise<readonly string[]> {
  if (process.getuid?.() !== 0) return [];
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, USER], { encoding: 'utf8' })));
  await chown(dir, uid!, gid!);
  return ['-u', USER];
}

function urlIn(dir: string, databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.host = `localhost:${PORT}`;
  url.searchParams.set('host', dir);
  return url.href;
}

/** pgbouncer's own database, which answers `show`. */
async function show(dir: string, what: string): Promise<Record<string, string>[]> {
  const client = new pg.Client({ host: dir, port: PORT, user: USER, database: 'pgbouncer' });
  await client.connect();
  return client
    .query(`show ${what}`)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

/**
 * @param pgbouncer path of the program
 * @param serverUrl one database of the server; all others are reachable, too
 */
export async function startPooler(pgbouncer: string, serverUrl: string): Promise<Pooler> {
  const dir = await mkdtemp(join(tmpdir(), 'satchel-pgbouncer-'));
  // By port: the socket of the tests' PostgreSQL is in a folder that only its own user can enter.
  const line = await createDatabaseLine(serverUrl);
  await writeFile(join(dir, 'pgbouncer.ini'), config(dir, new URL(line.url)));
  const child = spawn(pgbouncer, ['-q', ...(await becomeUser(dir)), join(dir, 'pgbouncer.ini')], { stdio: 'ignore' });
  const stop = async () => {
    if (child.exitCode === null) {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    }
    await line.close();
    await rm(dir, { recursive: true, force: true });
  };
  for (let tries = 0; tries < START_TRIES && child.exitCode === null; tries += 1) {
    const isUp = await show(dir, 'version').catch(() => null);
    if (isUp) {
      return {
        urlOf: (url) => urlIn(dir, url),
        async usageOf(url) {
          const database = new URL(url).pathname.slice(1);
          const of = (rows: Record<string, string>[]) => rows.filter((row) => row.database === database);
          const stats = of(await show(dir, 'stats'));
          return {
            clients: of(await show(dir, 'clients')).length,
            connections: of(await show(dir, 'servers')).length,
            transactions: Number(stats[0]?.total_xact_count ?? 0),
          };
        },
        stop,
      };
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const log = await readFile(join(dir, 'pgbouncer.log'), 'utf8').catch(() => 'it wrote no log');
  await stop();
  throw new Error(`pgbouncer did not start: ${log}`);
}
