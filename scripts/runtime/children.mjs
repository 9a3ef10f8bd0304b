import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT, RUNTIME_DIR } from './paths.mjs';

const END_WITH_PARENT = new URL('./end-with-parent.mjs', import.meta.url).href;
/** A second Ctrl-C means "now"; npm and the terminal may both deliver the first. */
const SAME_PRESS_MS = 1000;
const GRACE_MS = 30_000;
/** With it, the server's bundle takes 0.25 s of processor time to load in place of 0.47 s. Node does without where it can't write. */
const COMPILE_CACHE = join(RUNTIME_DIR, 'compiled');

/**
 * Starts a Node program that ends when this process does. It sits in its own process group, so that Ctrl-C in a
 * terminal reaches the launcher alone, which then stops its children in order.
 */
export function startNode(args, { env = {}, stdio = ['ignore', 'inherit', 'inherit'], cwd = ROOT } = {}) {
  const child = spawn(process.execPath, ['--import', END_WITH_PARENT, ...args], {
    cwd,
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env, ...env },
    stdio: [...stdio, 'ipc'],
    detached: true,
  });
  return watch(child);
}

function watch(child) {
  let isRunning = true;
  const exited = new Promise((resolve) => {
    const end = (code, signal) => {
      isRunning = false;
      resolve({ code: code ?? 128 + (constants.signals[signal] ?? 0), signal });
    };
    child.on('error', (error) => {
      process.stderr.write(`satchel: ${error.message}\n`);
      end(1, null);
    });
    child.on('exit', end);
  });
  return {
    child,
    exited,
    isRunning: () => isRunning,
    /** Asks it to end, and insists when it hasn't within the grace. @returns its exit code */
    async stop(graceMs = GRACE_MS) {
      if (!isRunning) return (await exited).code;
      child.kill('SIGTERM');
      const timer = new AbortController();
      const insist = sleep(graceMs, undefined, { signal: timer.signal }).then(
        () => child.kill('SIGKILL'),
        () => {},
      );
      const { code, signal } = await exited;
      timer.abort();
      await insist;
      // Ended by our own SIGTERM before it could install a handler: asked for, so not an error.
      return signal === 'SIGTERM' ? 0 : code;
    },
    kill: () => isRunning && child.kill('SIGKILL'),
  };
}

/**
 * Calls `onStop` once at the first Ctrl-C, SIGTERM or closed terminal, and `onInsist` at a later one. Under npm it also
 * stops when npm's shell has ended: not every shell passes a signal on.
 */
export function onStopRequest(onStop, onInsist = () => process.exit(130)) {
  let firstMs;
  const request = () => {
    if (firstMs === undefined) {
      firstMs = Date.now();
      onStop();
    } else if (Date.now() - firstMs > SAME_PRESS_MS) onInsist();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, request);
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && firstMs === undefined && request(), 500).unref();
}
