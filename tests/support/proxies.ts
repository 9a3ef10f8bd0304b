import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { until } from '@satchel/contract/testing/pace';
import pg from 'pg';
import { generate } from 'selfsigned';
import {
  createDatabaseLine,
  type DatabaseLine,
  urlByPort,
} from '../../apps/server/test/support/database/database-line.ts';
import { freePort } from '../../apps/server/test/support/free-port.ts';

/** Programs of others in front of servers of ours: nginx, Caddy, pgbouncer. Each has its own folder. */

export interface Program {
  stop(): Promise<void>;
}

interface ProgramOptions {
  /** Writes its configuration into its folder. @returns its arguments */
  readonly configure: (dir: string) => Promise<readonly string[]>;
  readonly isUp: (dir: string) => Promise<boolean>;
}

/** Starts a program, and waits until it is up. @param path of its binary */
export async function startProgram(path: string, { configure, isUp }: ProgramOptions): Promise<Program> {
  const dir = await mkdtemp(join(tmpdir(), 'satchel-program-'));
  const child = spawn(path, await configure(dir), { stdio: 'ignore', env: { ...process.env, HOME: dir } });
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
    await rm(dir, { recursive: true, force: true });
  };
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  const failure = `${path} did not start`;
  await until(
    async () => isOver() || isUp(dir),
    () => failure,
  )
    .then(() => {
      if (isOver()) throw new Error(failure);
    })
    .catch(async (error: Error) => {
      const logs = (await readdir(dir)).filter((name) => name.endsWith('.log'));
      const lines = await Promise.all(logs.map((name) => readFile(join(dir, name), 'utf8')));
      await stop();
      throw new Error([error.message, ...lines].join('\n'));
    });
  return { stop };
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

async function configureNginx(dir: string, config: string): Promise<readonly string[]> {
  const path = join(dir, 'nginx.conf');
  await writeFile(path, config);
  return ['-c', path, '-p', dir, '-e', join(dir, 'error.log')];
}

/** nginx in front of several nodes, by plain http. @param nginx path of the binary */
export const startBalancer = (nginx: string, port: number, nodePorts: readonly number[]): Promise<Program> =>
  startProgram(nginx, {
    configure: async (dir) => configureNginx(dir, nginxConfig(dir, await documentedNodes(port, nodePorts))),
    isUp: () => listens(port),
  });

/** nginx with the block of docs/deploy/systemd.md, or Caddy, with TLS in front of a server. */
export interface TlsProxy extends Program {
  readonly url: string;
}

/** What lets WebSockets through. */
const UPGRADES = `        proxy_set_header Upgrade $http_upgrade;
        proxy_set_header Connection $connection_upgrade;`;
const DEPLOY_PAGE = join(import.meta.dirname, '../../docs/deploy/systemd.md');
const NODES_PAGE = join(import.meta.dirname, '../../docs/deploy/nodes-and-store.md');
/** Where `away.html` is. */
const AWAY_DIR = join(import.meta.dirname, '../../deploy');
const LISTEN = 'listen 443 ssl http2;';
const CERTIFICATE = '    ssl_certificate     /etc/letsencrypt/live/files.example.org/fullchain.pem;\n';
const KEY = '    ssl_certificate_key /etc/letsencrypt/live/files.example.org/privkey.pem;\n';

type Change = readonly [documented: string, here: string];
/** What differs on this machine from any block for nginx of docs/deploy. */
const HERE: readonly Change[] = [
  ['listen [::]:443 ssl http2;', ''],
  ['server_name files.example.org;', 'server_name localhost;'],
  // People's browsers are at port 443, which a host name goes without.
  ['Host $host;', 'Host $http_host;'],
  ['root /var/www/satchel;', `root "${AWAY_DIR}";`],
  // The run's own, which the start of nginx names.
  ['    error_log /var/log/nginx/satchel.error.log crit;\n', ''],
];

/** The block that docs/deploy/systemd.md gives people to copy, with this run's address, certificate and server in it. */
async function documentedSite(dir: string, port: number, targetPort: number, passesUpgrades: boolean): Promise<string> {
  const page = await readFile(DEPLOY_PAGE, 'utf8');
  // Without the server that leads http to https.
  const block = /```nginx\n(# Uploads use a WebSocket.*?\n}\n)\nserver {\n {4}listen 80;/s.exec(page)?.[1] ?? '';
  return changed(block, [
    ...HERE,
    [LISTEN, `listen 127.0.0.1:${port} ssl http2;`],
    [CERTIFICATE, `    ssl_certificate "${dir}/cert.pem";\n`],
    [KEY, `    ssl_certificate_key "${dir}/key.pem";\n`],
    ['http://127.0.0.1:3000', `http://127.0.0.1:${targetPort}`],
    [UPGRADES, passesUpgrades ? UPGRADES : '        proxy_set_header Connection "";'],
  ]);
}

/** The block of docs/deploy/nodes-and-store.md for several nodes, with this run's address and nodes in it, and without TLS. */
async function documentedNodes(port: number, nodePorts: readonly number[]): Promise<string> {
  const block = /```nginx\n(# Several nodes\..*?)```/s.exec(await readFile(NODES_PAGE, 'utf8'))?.[1] ?? '';
  const node = (address: string) => `    server ${address} max_fails=0;\n`;
  const documented = [1, 2, 3].map((number) => node(`10.0.0.${number}:3000`)).join('');
  return changed(block, [
    ...HERE,
    [LISTEN, `listen 127.0.0.1:${port};`],
    [CERTIFICATE, ''],
    [KEY, ''],
    [documented, nodePorts.map((nodePort) => node(`127.0.0.1:${nodePort}`)).join('')],
  ]);
}

const changed = (block: string, changes: readonly Change[]): string =>
  changes.reduce((text, [documented, here]) => {
    if (!text.includes(documented)) throw new Error(`a block of the docs has no "${documented}"`);
    return text.replace(documented, () => here);
  }, block);

/** The block of docs/deploy/systemd.md, with the certificate that Caddy would get from elsewhere. */
async function caddyfile(dir: string, port: number, targetPort: number): Promise<string> {
  const block = /```caddy\n(.*?)```/s.exec(await readFile(DEPLOY_PAGE, 'utf8'))?.[1] ?? '';
  const here = [
    ['files.example.org {', `https://localhost:${port} {\n\tbind 127.0.0.1\n\ttls "${dir}/cert.pem" "${dir}/key.pem"`],
    ['127.0.0.1:3000', `127.0.0.1:${targetPort}`],
  ] as const;
  return `{\n\tadmin off\n\tauto_https disable_redirects\n\tstorage file_system "${dir}"\n}\n${changed(block, here)}`;
}

/** @param block what the docs have for /etc/nginx/sites-available */
const nginxConfig = (dir: string, block: string) => `
daemon off;
pid "${dir}/nginx.pid";
error_log "${dir}/error.log" crit;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
worker_rlimit_nofile 16384;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path "${dir}/body"; proxy_temp_path "${dir}/proxy"; fastcgi_temp_path "${dir}/f"; uwsgi_temp_path "${dir}/u"; scgi_temp_path "${dir}/s";
${block}}
`;

/**
 * Starts nginx before the server is up, and makes this process trust its certificate.
 * @param nginx path of the binary
 * @param targetPort port of the server behind it
 * @param passesUpgrades false for one that keeps WebSockets out, as nginx does by itself
 */
export const startTlsProxy = (nginx: string, targetPort: number, passesUpgrades = true): Promise<TlsProxy> =>
  startWithTls(nginx, async (dir, port) =>
    configureNginx(dir, nginxConfig(dir, await documentedSite(dir, port, targetPort, passesUpgrades))),
  );

/** The same with Caddy. @param caddy path of the binary */
export const startCaddy = (caddy: string, targetPort: number): Promise<TlsProxy> =>
  startWithTls(caddy, async (dir, port) => {
    await writeFile(join(dir, 'Caddyfile'), await caddyfile(dir, port, targetPort));
    return ['run', '--config', join(dir, 'Caddyfile'), '--adapter', 'caddyfile'];
  });

async function startWithTls(
  path: string,
  configure: (dir: string, port: number) => Promise<readonly string[]>,
): Promise<TlsProxy> {
  const port = await freePort();
  // Two proxies of one process need different names, or one's certificate is looked for under the other's key.
  const pair = await generate([{ name: 'commonName', value: `localhost ${port}` }], {
    keySize: 2048,
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  setDefaultCACertificates([...getCACertificates('default'), pair.cert]);
  const program = await startProgram(path, {
    async configure(dir) {
      await writeFile(join(dir, 'cert.pem'), pair.cert);
      await writeFile(join(dir, 'key.pem'), pair.private, { mode: 0o600 });
      return configure(dir, port);
    },
    isUp: () => listens(port),
  });
  return { url: `https://localhost:${port}`, ...program };
}

/** A line to the tests' database server that can be frozen or cut, for a site whose databases it is to lead to. */
export interface ServerLine extends DatabaseLine {
  /** The same database through the line. */
  urlOf(databaseUrl: string): string;
}

/** @param serverUrl one database of the server; all others are reachable, too */
export async function createServerLine(serverUrl: string): Promise<ServerLine> {
  const line = await createDatabaseLine(serverUrl);
  return { ...line, urlOf: (url) => urlByPort(url, Number(new URL(line.url).port)) };
}

/** A real pgbouncer in transaction mode in front of the tests' database server. */
export interface Pooler {
  /** The same database through pgbouncer. */
  urlOf(databaseUrl: string): string;
  /** pgbouncer's counters of a database. */
  usageOf(databaseUrl: string): Promise<PoolerUsage>;
  stop(): Promise<void>;
}

export interface PoolerUsage {
  /** Client connections to pgbouncer, including connections without a transaction. */
  readonly clients: number;
  /** Connections of pgbouncer to the database. */
  readonly connections: number;
  readonly transactions: number;
}

/** Fewer than the server's pool has, so that a client connection's transactions run on several database connections. */
export const CONNECTIONS_OF_POOLER = 3;
const PORT = 6432;
/** pgbouncer refuses to run as root, and switches to this user when root starts it. */
const USER = 'nobody';

const quoted = (text: string) => `'${decodeURIComponent(text).replaceAll("'", "''")}'`;

const poolerConfig = (dir: string, url: URL) => `
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
  // By port: the socket of the tests' PostgreSQL is in a folder that only its own user can enter.
  const line = await createDatabaseLine(serverUrl);
  let dir = '';
  const program = await startProgram(pgbouncer, {
    async configure(folder) {
      dir = folder;
      await writeFile(join(dir, 'pgbouncer.ini'), poolerConfig(dir, new URL(line.url)));
      return ['-q', ...(await becomeUser(dir)), join(dir, 'pgbouncer.ini')];
    },
    isUp: () =>
      show(dir, 'version').then(
        () => true,
        () => false,
      ),
  });
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
    async stop() {
      await program.stop();
      await line.close();
    },
  };
}
