import { rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { HoldLock } from '@satchel/client/send/ports';
import { hashName } from './state-folder.ts';

/**
 * Locks that end with their process, however it ends: each is an address that one process listens at, and that the system frees.
 * A lock file would have to be judged stale after kill -9, by a process id that another program may have by then.
 */

/** Abstract on Linux, a named pipe on Windows: both vanish with their process. Elsewhere a socket in the file system. */
function addressOf(name: string): string {
  if (process.platform === 'linux') return `\0satchel-${name}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\satchel-${name}`;
  return join(tmpdir(), `satchel-${name.slice(0, 24)}`);
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

function listen(address: string): Promise<Server | null> {
  const { promise, resolve, reject } = Promise.withResolvers<Server | null>();
  const server = createServer((caller) => caller.destroy());
  server.once('error', (error) => (codeOf(error) === 'EADDRINUSE' ? resolve(null) : reject(error)));
  server.listen(address, () => {
    server.unref();
    resolve(server);
  });
  return promise;
}

/** Removes the socket file of a process that ended. */
function removeDead(address: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const call = connect(address);
  call.once('connect', () => {
    call.destroy();
    resolve();
  });
  call.once('error', (error) => {
    if (codeOf(error) === 'ECONNREFUSED') rmSync(address, { force: true });
    resolve();
  });
  return promise;
}

const POLL_MS = 50;

/** @param folder whose locks these are: another folder has others of the same names */
export function createLocks(folder: string): HoldLock {
  return async (name, waitMs = 0) => {
    const address = addressOf(hashName(folder, String(process.getuid?.() ?? ''), name));
    const untilMs = performance.now() + waitMs;
    for (;;) {
      const server = await listen(address);
      if (server !== null) return () => void server.close();
      if (address.startsWith('/')) await removeDead(address);
      if (performance.now() > untilMs) return null;
      await pause(POLL_MS);
    }
  };
}
