import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Servers that do next to nothing, as bounds: processes of their own, on loopback. */
export interface BareServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** From the start of the process to its first line. */
  readonly startMs: number;
  end(): void;
}

/** Starts a script that prints its port. */
async function startScript(name: string, args: readonly string[]): Promise<BareServer> {
  const started = performance.now();
  const child = spawn(process.execPath, [join(import.meta.dirname, name), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(line.toString());
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    pid: child.pid ?? 0,
    startMs: performance.now() - started,
    end: () => void child.kill('SIGTERM'),
  };
}

/** Keeps what is PUT in a folder, synced, and gives it out; POST answers a row of the database. */
export const startBare = (dir: string, databaseUrl?: string): Promise<BareServer> =>
  startScript('bare-server.ts', databaseUrl === undefined ? [dir] : [dir, databaseUrl]);

/** Checks the signature of an interaction and answers. @param publicKey in hex */
export const startSigned = (publicKey: string): Promise<BareServer> =>
  startScript('server/bare-signed.ts', [publicKey]);
