import { spawn } from 'node:child_process';
import { ROOT } from './paths.mjs';

const GRACE_MS = 5000;

/**
 * Runs a Node program together with whatever it starts: stopping it stops them all, and nothing that a crashed test
 * left behind keeps its port.
 */
export function startGroup(args, env = {}) {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
  const signalAll = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {}
  };
  const exited = new Promise((resolve) => {
    child.on('error', () => resolve(1));
    child.on('exit', (code) => {
      signalAll('SIGKILL');
      resolve(code ?? 1);
    });
  });
  const stop = async () => {
    signalAll('SIGTERM');
    const late = setTimeout(() => signalAll('SIGKILL'), GRACE_MS);
    await exited;
    clearTimeout(late);
  };
  return { exited, stop };
}
