import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../apps/server/test/support/free-port.ts';

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
    ...{ url: `http://127.0.0.1:${port}`, port, pid: child.pid ?? 0, startMs: performance.now() - started },
    end: () => void child.kill('SIGTERM'),
  };
}

/** Keeps what is PUT in a folder, synced, and gives it out; POST answers a row of the database. */
export const startBare = (dir: string, databaseUrl?: string): Promise<BareServer> =>
  startScript('bare-server.ts', databaseUrl === undefined ? [dir] : [dir, databaseUrl]);

/** Checks the signature of an interaction and answers. @param publicKey in hex */
export const startSigned = (publicKey: string): Promise<BareServer> =>
  startScript('server/bare-signed.ts', [publicKey]);

/** nginx that gives out a folder's files by sendfile. */
export async function startNginx(binary: string, dir: string): Promise<Pick<BareServer, 'url' | 'end'>> {
  const port = await freePort();
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${dir}/t-${name};`)
    .join(' ');
  // For root only: nginx would start its workers as a user who can't read the file.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const conf = `daemon off; ${user} pid ${dir}/nginx.pid; error_log ${dir}/error.log; worker_processes 1; events {}
    http { access_log off; sendfile on; tcp_nopush on; ${temp} server { listen 127.0.0.1:${port}; root ${dir}; } }`;
  await writeFile(join(dir, 'nginx.conf'), conf);
  const child: ChildProcess = spawn(binary, ['-c', join(dir, 'nginx.conf'), '-p', dir, '-e', join(dir, 'error.log')], {
    stdio: 'ignore',
  });
  await new Promise((resolve) => setTimeout(resolve, 500));
  return { url: `http://127.0.0.1:${port}`, end: () => void child.kill('SIGTERM') };
}
