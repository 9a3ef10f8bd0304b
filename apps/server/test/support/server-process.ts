import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { atEnd } from './at-end.ts';
import { DISCORD_PUBLIC_KEY } from './discord/discord-keys.ts';
import { freePort } from './free-port.ts';

/** Real server processes, each started as in production: by its environment alone. They are killed `atEnd`. */

/** An entry as it was built, if `npm test` names the server; else its sources, which load three times as slowly. */
export function entryOf(name: 'main' | 'satchel-admin' | 'register'): string {
  const built = process.env.TEST_SERVER;
  return built ? join(dirname(built), `${name}.js`) : join(import.meta.dirname, `../../src/${name}.ts`);
}

/** What each process of a test gets of this one's environment. */
export const INHERITED = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };

const MAIN = entryOf('main');

export interface ServerProcess {
  readonly child: ChildProcess;
  readonly url: string;
  readonly dataDir: string;
  readonly output: { text: string; errors: string };
  readonly exited: Promise<number | null>;
  /** @throws with the server's output, if it ends instead */
  ready(): Promise<void>;
  /** Kills it without warning. */
  kill(): Promise<void>;
}

export interface ServerProcesses {
  /**
   * @param env settings in addition to each server's
   * @param before a command that runs the server as its last arguments, for instance in a namespace
   */
  start(env?: Record<string, string>, before?: readonly string[]): Promise<ServerProcess>;
  /** The same, and waits until it listens. */
  started(env?: Record<string, string>): Promise<ServerProcess>;
}

function watch(child: ChildProcess, url: string, dataDir: string): ServerProcess {
  const output = { text: '', errors: '' };
  const listening = Promise.withResolvers<void>();
  child.stdout?.on('data', (data) => {
    output.text += data;
    if (output.text.includes('satchel: listening on')) listening.resolve();
  });
  child.stderr?.on('data', (data) => (output.errors += data));
  // At "close", all output has arrived.
  const exited = once(child, 'close').then(([code]) => code as number | null);
  const endsFirst = async () => {
    throw new Error(`The server ended with ${await exited}: ${output.errors}`);
  };
  return {
    child,
    url,
    dataDir,
    output,
    exited,
    ready: () => Promise.race([listening.promise, endsFirst()]),
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** @param settings of each server, read at its start, since tests make new ones */
export function createServerProcesses(settings: () => Record<string, string>): ServerProcesses {
  async function start(env: Record<string, string> = {}, before: readonly string[] = []): Promise<ServerProcess> {
    const all: Record<string, string> = {
      PORT: String(await freePort()),
      DISCORD_CLIENT_ID: '100000000000000001',
      DISCORD_CLIENT_SECRET: 'the client secret of this test',
      DISCORD_PUBLIC_KEY,
      ...settings(),
      ...env,
    };
    if (!all.DATA_DIR) throw new Error('DATA_DIR is missing: the server would take the one of the checkout');
    const [program = '', ...args] = [...before, process.execPath, MAIN];
    const child = spawn(program, args, {
      env: { ...INHERITED, ...all },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const server = watch(child, `http://127.0.0.1:${all.PORT}`, all.DATA_DIR);
    atEnd(server.kill);
    return server;
  }

  return {
    start,
    async started(env) {
      const server = await start(env);
      await server.ready();
      return server;
    },
  };
}
