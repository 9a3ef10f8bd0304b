import { spawn } from 'node:child_process';
import { ROOT } from '../runtime/paths.mjs';

const GRACE_MS = 5000;

/**
 * Runs a Node program and all programs that it starts: stopping it stops them all, and nothing that a crashed test
 * left behind keeps its port.
 * @param {(text: string) => void} [keep] gets the output, which is otherwise passed through
 */
export function startGroup(args, env = {}, keep) {
  const stdio = keep ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'];
  const child = spawn(process.execPath, args, { cwd: ROOT, env: { ...process.env, ...env }, stdio, detached: true });
  if (keep) for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', keep);
  const signalAll = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {}
  };
  const exited = new Promise((resolve) => {
    child.on('error', () => resolve(1));
    // "close" comes after all output.
    child.on(keep ? 'close' : 'exit', (code) => {
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
