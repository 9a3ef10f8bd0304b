import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTestDatabase } from '../../apps/server/src/testing/test-database.ts';
import { freePort } from './ports.ts';

/** A whole Satchel for a black-box test: the built server and the sandbox as processes of their own. */
export interface Site {
  /** What a browser types; a proxy's address where one stands in front. */
  readonly url: string;
  readonly sandboxUrl: string;
  readonly dataDir: string;
  readonly databaseUrl: string;
  /** All that the server has printed so far. */
  logs(): string;
  /** Ends the server as a power cut would. */
  kill9(): Promise<void>;
  /** Starts the server again on the same data. */
  restart(): Promise<void>;
  /** What `npm run bot:register` does, by the same entry; `env` replaces settings. */
  registerBot(env?: Readonly<Record<string, string>>): Promise<{ readonly code: number; readonly output: string }>;
  stop(): Promise<void>;
}

export interface SiteOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Address of a proxy in front, made from the server's own port. */
  readonly publicUrl?: string;
  readonly port?: number;
  readonly sandboxPort?: number;
  /** Registers the bot at the sandbox, which takes a moment. */
  readonly hasBot?: boolean;
  /** How many files and connections the server's process may open. */
  readonly maxDescriptors?: number;
}

/** The sandbox's pair of Ed25519 keys: RFC 8032 §7.1, test 1. */
export const SANDBOX_KEY = {
  privateKey: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
  publicKey: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
};

/** What the sandbox knows Satchel by. */
export const SANDBOX_CLIENT = { id: '100000000000000001', secret: 'sandbox-secret' };

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const SERVER = join(ROOT, 'apps/server/dist/main.js');
const SANDBOX = join(ROOT, 'apps/sandbox/src/main.ts');
const REGISTER = join(ROOT, 'apps/server/src/register.ts');
const BOT_TOKEN = 'sandbox-bot-token-of-a-test';
const START_TIMEOUT_MS = 90_000;

async function answers(url: string, child: ChildProcess, output: () => string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`it ended at once:\n${output()}`);
    const ok = await fetch(url, { redirect: 'manual' }).then(
      (response) => response.status < 500,
      () => false,
    );
    if (ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${url} did not answer:\n${output()}`);
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

interface Settings {
  readonly url: string;
  readonly port: number;
  readonly sandboxPort: number;
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly env: Readonly<Record<string, string>>;
}

const inherited = () => ({ PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' });

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
    ...env,
  };
}

async function runRegister(env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [REGISTER], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? -1, output };
}

/** The shell becomes Node, so that signals reach it. */
function commandOf(file: string, maxDescriptors: number | undefined): [program: string, ...args: string[]] {
  if (maxDescriptors === undefined) return [process.execPath, file];
  return ['/bin/sh', '-c', `ulimit -n ${maxDescriptors} && exec "$0" "$1"`, process.execPath, file];
}

/** Starts sandbox and server on free ports with a data directory and a database of their own, and waits until both answer. */
export async function startSite(options: SiteOptions = {}): Promise<Site> {
  const port = options.port ?? (await freePort());
  const sandboxPort = options.sandboxPort ?? (await freePort());
  const url = options.publicUrl ?? `http://127.0.0.1:${port}`;
  const dataDir = await mkdtemp(join(tmpdir(), 'satchel-site-'));
  const database = await createTestDatabase();
  const settings: Settings = { url, port, sandboxPort, dataDir, databaseUrl: database.url, env: options.env ?? {} };
  let output = '';
  const run = (file: string, env: NodeJS.ProcessEnv): ChildProcess => {
    const [program, ...args] = commandOf(file, file === SERVER ? options.maxDescriptors : undefined);
    const child = spawn(program, args, { cwd: ROOT, env, stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    return child;
  };
  const sandbox = run(SANDBOX, {
    ...inherited(),
    SANDBOX_PORT: String(sandboxPort),
    SANDBOX_REDIRECT_URIS: `${url}/auth/v1/callback`,
    SANDBOX_PRIVATE_KEY: SANDBOX_KEY.privateKey,
    SANDBOX_BOT_TOKEN: BOT_TOKEN,
  });
  const sandboxUrl = `http://localhost:${sandboxPort}`;
  let server = run(SERVER, serverEnv(settings));
  const ready = () => answers(`http://127.0.0.1:${port}/healthz`, server, () => output);
  const registerBot = (env: Readonly<Record<string, string>> = {}) =>
    runRegister({ ...serverEnv(settings), DISCORD_BOT_TOKEN: BOT_TOKEN, ...env });
  const stop = async () => {
    await end(server, 'SIGTERM');
    await end(sandbox, 'SIGTERM');
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await Promise.all([ready(), answers(`${sandboxUrl}/`, sandbox, () => output)]);
    const registered = options.hasBot ? await registerBot() : undefined;
    if (registered && registered.code !== 0) throw new Error(`the bot was not registered:\n${registered.output}`);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    sandboxUrl,
    dataDir,
    databaseUrl: database.url,
    logs: () => output,
    kill9: () => end(server, 'SIGKILL'),
    restart: async () => {
      server = run(SERVER, serverEnv(settings));
      await ready();
    },
    registerBot,
    stop,
  };
}
