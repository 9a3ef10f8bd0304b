import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@satchel/contract/testing/pace';
import { freePort } from '../../apps/server/test/support/free-port.ts';
import { createTestDatabase } from '../../apps/server/test/support/test-database.ts';
import type { Cluster, Running, Servers, ServersOptions } from './cluster.ts';

/**
 * A whole Satchel for black-box tests: the built server and the sandbox as processes. With SITE_NODES in the environment
 * each site is that many nodes behind nginx, with a key service; with SITE_KILLS_EVERY one of them is killed so often.
 * With SITE_USERCONTENT the bytes of files come from their own origin.
 */
export interface Site {
  /** The browser's address; a proxy's address if there is one. */
  readonly url: string;
  /** The server's own address, or the first node's, past any proxy. */
  readonly ownUrl: string;
  /** The addresses of all nodes. */
  readonly ownUrls: readonly string[];
  readonly sandboxUrl: string;
  readonly dataDir: string;
  readonly databaseUrl: string;
  /** The server's process, or the first node's. */
  pid(): number;
  /** The processes of all nodes. */
  pids(): readonly number[];
  /** The key service's process; 0 where the only server has the keys. */
  keyServicePid(): number;
  /** Starts the key service again, once it was killed. */
  startKeyService(): Promise<void>;
  /** The server's output so far. */
  logs(): string;
  /** Kills the server, or all nodes, like a power cut. */
  kill9(): Promise<void>;
  /** Starts all of it again on the same data. */
  restart(): Promise<void>;
  /** Runs `npm run bot:register` by the same entry; `env` overrides settings. */
  registerBot(env?: Readonly<Record<string, string>>): Promise<EntryOutcome>;
  /** Runs `satchel-admin` with the server's settings. */
  admin(...args: readonly string[]): Promise<EntryOutcome>;
  /** Runs `satchel-admin fsck`, with further switches. */
  fsck(...switches: readonly string[]): Promise<EntryOutcome>;
  stop(): Promise<void>;
}

export interface EntryOutcome {
  readonly code: number;
  readonly output: string;
}

export interface SiteOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Settings that depend on the site's database: another way to reach it. */
  readonly databaseEnv?: (databaseUrl: string) => Readonly<Record<string, string>>;
  /** Address of a proxy in front, from the server's own port. */
  readonly publicUrl?: string;
  readonly port?: number;
  readonly sandboxPort?: number;
  /** One server also where sites are to be clusters: for a test of what only a site with one server has. */
  readonly hasOneServer?: boolean;
  /** That many nodes behind nginx, for every kind of site. */
  readonly nodes?: number;
  /** Registers the bot at the sandbox, which takes some time. */
  readonly hasBot?: boolean;
  /** Runs the server's sources in place of the build, so that a module loaded before can reach into them. */
  readonly runsSources?: boolean;
  /** Limit of the server process's open files and connections. */
  readonly maxDescriptors?: number;
}

/** The sandbox's Ed25519 key pair: RFC 8032 §7.1, test 1. */
export const SANDBOX_KEY = {
  privateKey: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
  publicKey: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
};

/** Satchel's credentials at the sandbox. */
export const SANDBOX_CLIENT = { id: '100000000000000001', secret: 'sandbox-secret' };

const ROOT = join(import.meta.dirname, '../..');
const SERVER = join(ROOT, 'apps/server/dist/main.js');
const SOURCES = join(ROOT, 'apps/server/src/main.ts');
const SANDBOX = join(ROOT, 'packages/discord-sandbox/src/main.ts');
const COMMANDS = join(ROOT, 'apps/server/dist/satchel-admin.js');
const REGISTER = join(ROOT, 'apps/server/dist/register.js');
const BOT_TOKEN = 'sandbox-bot-token-of-a-test';
/** As `npm start` runs it (`scripts/launch/start.mjs`). */
const NODE_FLAGS = ['--max-semi-space-size=8'];

/** @param output gets all that the process prints */
function start(command: readonly string[], env: NodeJS.ProcessEnv, output: { text: string }): Running {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { cwd: ROOT, env, stdio: ['pipe', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output.text += chunk));
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid ?? 0,
    answers: (url) =>
      until(
        async () => {
          if (isOver()) throw new Error(`the process ended at once:\n${output.text}`);
          const answer = await fetch(url, { redirect: 'manual' }).catch(() => null);
          return answer !== null && answer.status < 500;
        },
        () => `${url} did not answer:\n${output.text}`,
      ),
    async end(signal) {
      if (isOver()) return;
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
    },
  };
}

function oneServer({ port, env, run }: ServersOptions): Servers {
  let server: Running | undefined;
  return {
    commandEnv: env,
    ownPort: port,
    ownPorts: [port],
    async start() {
      server = run(env);
      await server.answers(`http://127.0.0.1:${port}/healthz`);
    },
    pid: () => server?.pid ?? 0,
    pids: () => [server?.pid ?? 0],
    keyServicePid: () => 0,
    startKeyService: async () => undefined,
    kill9: async () => server?.end('SIGKILL'),
    stop: async () => server?.end('SIGTERM'),
  };
}

/** Whether sites are to be clusters, and how many nodes they have: SITE_NODES, and SITE_KILLS_EVERY in seconds. */
const clusterOf = (env: NodeJS.ProcessEnv): Cluster | null =>
  env.SITE_NODES ? { nodes: Number(env.SITE_NODES), killEveryMs: Number(env.SITE_KILLS_EVERY ?? 0) * 1000 } : null;

interface Settings {
  readonly url: string;
  readonly port: number;
  readonly sandboxPort: number;
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Compile cache shared by all sites' processes: a start takes two thirds of the time. */
const COMPILED = join(ROOT, '.runtime/compiled');
const inherited = () => ({
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '',
  NODE_COMPILE_CACHE: COMPILED,
});

function serverEnv({ url, port, sandboxPort, dataDir, databaseUrl, env }: Settings): NodeJS.ProcessEnv {
  return {
    ...inherited(),
    PORT: String(port),
    PUBLIC_URL: url,
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    DISCORD_CLIENT_ID: SANDBOX_CLIENT.id,
    DISCORD_CLIENT_SECRET: SANDBOX_CLIENT.secret,
    DISCORD_PUBLIC_KEY: SANDBOX_KEY.publicKey,
    DISCORD_API_URL: `http://localhost:${sandboxPort}/api/v10`,
    LOG_LEVEL: 'info',
    ...(process.env.SITE_USERCONTENT && { USERCONTENT_URL: `http://localhost:${new URL(url).port}` }),
    ...env,
  };
}

/** Runs one of the server's other entries to completion. */
async function runToEnd(entry: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<EntryOutcome> {
  const child = spawn(process.execPath, [entry, ...args], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? -1, output };
}

/** `exec` replaces the shell by Node, so that signals reach it. */
function commandOf(file: string, maxDescriptors?: number): readonly string[] {
  const command = [process.execPath, ...NODE_FLAGS, file];
  if (maxDescriptors === undefined) return command;
  return ['/bin/sh', '-c', `ulimit -n ${maxDescriptors} && exec "$0" "$@"`, ...command];
}

/** The site that tests share while Vitest watches (tests/needs/development-site.mjs), as far as it can be shared. */
function developmentSite(facts: string): Site {
  const refuse = () => Promise.reject(new Error('not while Vitest watches: run this test once, by npm test -- PATH'));
  return {
    ...(JSON.parse(facts) as Pick<Site, 'url' | 'ownUrl' | 'ownUrls' | 'sandboxUrl' | 'dataDir' | 'databaseUrl'>),
    pid: () => 0,
    pids: () => [],
    keyServicePid: () => 0,
    startKeyService: refuse,
    logs: () => '',
    kill9: refuse,
    restart: refuse,
    registerBot: refuse,
    admin: refuse,
    fsck: refuse,
    stop: async () => undefined,
  };
}

/** Starts sandbox and server on free ports with a fresh data directory and database, and waits until both answer. */
export async function startSite(options: SiteOptions = {}): Promise<Site> {
  const { SITE_DEVELOPMENT: shared, SITE_SOURCES: isWatching } = process.env;
  if (shared && Object.keys(options).length === 0) return developmentSite(shared);
  const port = options.port ?? (await freePort());
  const sandboxPort = options.sandboxPort ?? (await freePort());
  const url = options.publicUrl ?? `http://127.0.0.1:${port}`;
  const dataDir = await mkdtemp(join(tmpdir(), 'satchel-site-'));
  const database = await createTestDatabase();
  const env = { ...options.databaseEnv?.(database.url), ...options.env };
  const settings: Settings = { url, port, sandboxPort, dataDir, databaseUrl: database.url, env };
  const output = { text: '' };
  const sandboxEnv = {
    ...inherited(),
    SANDBOX_PORT: String(sandboxPort),
    SANDBOX_REDIRECT_URIS: `${url}/auth/v1/callback`,
    SANDBOX_PRIVATE_KEY: SANDBOX_KEY.privateKey,
    SANDBOX_BOT_TOKEN: BOT_TOKEN,
  };
  const sandbox = start(commandOf(SANDBOX), sandboxEnv, output);
  const sandboxUrl = `http://localhost:${sandboxPort}`;
  const serversOptions: ServersOptions = {
    port,
    dataDir,
    env: serverEnv(settings),
    ownEnv: env,
    run: (env) =>
      start(commandOf(options.runsSources || isWatching ? SOURCES : SERVER, options.maxDescriptors), env, output),
  };
  const wanted = options.nodes ? { nodes: options.nodes, killEveryMs: 0 } : clusterOf(process.env);
  const cluster = options.hasOneServer ? null : wanted;
  const servers = cluster
    ? await (await import('./cluster.ts')).severalNodes(serversOptions, cluster)
    : oneServer(serversOptions);
  const registerBot = (env: Readonly<Record<string, string>> = {}) =>
    runToEnd(REGISTER, [], { ...servers.commandEnv, DISCORD_BOT_TOKEN: BOT_TOKEN, ...env });
  const admin = (...args: readonly string[]) => runToEnd(COMMANDS, args, servers.commandEnv);
  const stop = async () => {
    await servers.stop();
    await sandbox.end('SIGTERM');
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await Promise.all([servers.start(), sandbox.answers(`${sandboxUrl}/`)]);
    const registered = options.hasBot ? await registerBot() : undefined;
    if (registered && registered.code !== 0) throw new Error(`the bot was not registered:\n${registered.output}`);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    ownUrl: `http://127.0.0.1:${servers.ownPort}`,
    ownUrls: servers.ownPorts.map((own) => `http://127.0.0.1:${own}`),
    sandboxUrl,
    dataDir,
    databaseUrl: database.url,
    pid: servers.pid,
    pids: servers.pids,
    keyServicePid: servers.keyServicePid,
    startKeyService: servers.startKeyService,
    logs: () => output.text,
    kill9: servers.kill9,
    restart: servers.start,
    registerBot,
    admin,
    fsck: (...switches) => admin('fsck', ...switches),
    stop,
  };
}
