import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../../runtime/paths.mjs';

const READY = 'Ctrl-C stops it';
const SETTINGS = /^(DATABASE_URL|DISCORD_|DATA_DIR|PORT|HOST|PUBLIC_URL|SANDBOX_|npm_)/;
export const cleanEnv = Object.fromEntries(Object.entries(process.env).filter(([name]) => !SETTINGS.test(name)));

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return String(port);
}

/** `npm start` as its own process, with nothing of the machine's settings. */
export function launch(env) {
  const child = spawn(process.execPath, ['scripts/launch.mjs', 'start'], {
    cwd: ROOT,
    env: { ...cleanEnv, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit').then(([code]) => code);
  const launcher = { child, exited, out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    launcher.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    launcher.err += text;
  });
  launcher.isReady = async () => {
    while (!launcher.out.includes(READY)) {
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${launcher.out}${launcher.err}`);
      await sleep(20);
    }
  };
  launcher.end = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    return exited;
  };
  return launcher;
}

export const answers = (port, path = '/') =>
  fetch(`http://localhost:${port}${path}`, { redirect: 'manual' }).then(
    () => true,
    () => false,
  );

export async function untilSilent(port) {
  while (await answers(port)) await sleep(20);
}

/** @returns {number} the process that `npm start` runs the server in */
export function serverOf(launcher) {
  const server = listProcesses().find(
    ({ parent, command }) => parent === launcher.child.pid && command.includes('apps/server/dist/main.js'),
  );
  return server.pid;
}

/** @returns {{ pid: number, parent: number, command: string }[]} every process that can be seen from here */
export function listProcesses() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const parent = Number(/^PPid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
        return [{ pid: Number(pid), parent, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8') }];
      } catch {
        return [];
      }
    });
}
