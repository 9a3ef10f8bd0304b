import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../apps/server/test/support/free-port.ts';
import { within } from './within.ts';

/** `npm start` as people run it: launcher, embedded PostgreSQL, server and sandbox, in a fresh data directory. */

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const SETTINGS = /^(DATABASE_|DISCORD_|DATA_DIR|PORT|HOST|PUBLIC_URL|SANDBOX_|KEYS_DIR|npm_)/;
const ORPHANS_END_MS = 20_000;
/** PostgreSQL's code for a database that can't be connected to now. */
const DATABASE_STARTS = /57P03/;

/** Processes to kill. `immediate` is SIGQUIT: PostgreSQL's shutdown without a checkpoint. */
export const VICTIMS = ['launcher', 'server', 'postgres', 'postgres immediate', 'backend', 'everything'] as const;
export type Victim = (typeof VICTIMS)[number];

/** The launcher survives these and restarts the killed process. */
const OUTLIVED: ReadonlySet<Victim> = new Set<Victim>(['server', 'postgres', 'postgres immediate', 'backend']);

export interface FsckAnswer {
  readonly findings: readonly { readonly kind: string; readonly detail: Readonly<Record<string, unknown>> }[];
  readonly checked: Readonly<Record<string, number>>;
  readonly queued: Readonly<Record<string, number>>;
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

const listProcesses = (): Process[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({
      pid: Number(pid),
      parent: Number(/^PPid:\t(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0),
      command: read(`/proc/${pid}/cmdline`).replaceAll('\0', ' '),
    }))
    .filter(({ command }) => command !== '');

const shuffled = <T>(all: readonly T[]): T[] =>
  all
    .map((one) => ({ one, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one);

function kill(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid) process.kill(pid, signal);
  } catch {
    // The process has ended already.
  }
}

export async function createLaunchedSite() {
  const dataDir = mkdtempSync(join(tmpdir(), 'satchel-faults-'));
  const [port, sandboxPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const own = Object.entries(process.env).filter(([name]) => !SETTINGS.test(name));
  const env = {
    ...Object.fromEntries(own),
    DATA_DIR: dataDir,
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    LOG_LEVEL: 'error',
  };
  const pidFile = join(dataDir, 'postgres', 'data', 'postmaster.pid');
  let output = '';
  let launcher: ChildProcess | null = null;

  const hasEnded = () => launcher === null || launcher.exitCode !== null || launcher.signalCode !== null;
  const postmaster = () => Number(read(pidFile).split('\n')[0]) || undefined;
  const childrenOf = (parent: number | undefined) => listProcesses().filter((process) => process.parent === parent);
  const server = () =>
    childrenOf(launcher?.pid).find(({ command }) => command.includes('apps/server/dist/main.js'))?.pid;
  const left = () =>
    listProcesses().filter(
      ({ pid, command }) => command.includes(dataDir) || read(`/proc/${pid}/environ`).includes(`DATA_DIR=${dataDir}\0`),
    );
  const isReady = () =>
    fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2000) }).then(
      ({ ok }) => ok,
      () => false,
    );

  const doesSandboxAnswer = () =>
    fetch(`http://localhost:${sandboxPort}/`, { redirect: 'manual', signal: AbortSignal.timeout(2000) }).then(
      () => true,
      () => false,
    );

  /** @returns milliseconds until the site answered */
  async function untilReady(): Promise<number> {
    const sinceMs = performance.now();
    while (!(await isReady())) {
      if (hasEnded()) throw new Error(`The site did not start again:\n${output}`);
      await sleep(20);
    }
    return performance.now() - sinceMs;
  }

  /** @returns milliseconds until the site answered */
  async function start(): Promise<number> {
    const child = spawn(process.execPath, ['scripts/launch.mjs', 'start'], {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    launcher = child;
    const tookMs = await untilReady();
    // The sandbox starts after the server, and people sign in there.
    while (!hasEnded() && !(await doesSandboxAnswer())) await sleep(20);
    return tookMs;
  }

  async function untilLauncherEnds(): Promise<void> {
    if (launcher && !hasEnded()) await once(launcher, 'exit');
  }

  function strike(victim: Victim): void {
    const backend = childrenOf(postmaster()).find(({ command }) => command.includes(' satchel postgres '))?.pid;
    const struck = {
      launcher: [launcher?.pid],
      server: [server()],
      postgres: [postmaster()],
      'postgres immediate': [postmaster()],
      backend: [backend],
      everything: shuffled(left().map(({ pid }) => pid)),
    }[victim];
    if (struck[0] === undefined) throw new Error(`There is no ${victim} to kill`);
    for (const pid of struck) kill(pid, victim === 'postgres immediate' ? 'SIGQUIT' : 'SIGKILL');
  }

  async function runFsck() {
    const child = spawn(process.execPath, ['scripts/launch.mjs', 'admin', 'fsck', '--json', '--hash'], {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk) => (out += chunk));
    child.stderr.on('data', (chunk) => (err += chunk));
    const [code] = await once(child, 'close');
    return { code, out, err };
  }

  return {
    url,
    logs: () => output,
    start,
    strike,
    /** Waits after a kill until the site answers; starts it if it can't restart by itself. */
    async comeBack(victim: Victim): Promise<number> {
      if (!OUTLIVED.has(victim)) {
        await untilLauncherEnds();
        return start();
      }
      const sinceMs = performance.now();
      // The database may not have noticed the end yet.
      await sleep(300);
      await untilReady();
      return performance.now() - sinceMs;
    },
    /** SIGTERM; waits until every process has ended. */
    async stop(): Promise<void> {
      kill(launcher?.pid, 'SIGTERM');
      await untilLauncherEnds();
      if (!(await within(ORPHANS_END_MS, () => left().length === 0, 20)))
        throw new Error(`Processes are still running: ${left().map(({ command }) => command)}`);
    },
    remove: () => rmSync(dataDir, { recursive: true, force: true }),
    /** `satchel-admin fsck --hash`, as an operator runs it: again, where the database is still starting. */
    async fsck(): Promise<FsckAnswer> {
      const untilMs = performance.now() + ORPHANS_END_MS;
      for (;;) {
        const { code, out, err } = await runFsck();
        if (code === 0 || code === 1) return JSON.parse(out) as FsckAnswer;
        if (!DATABASE_STARTS.test(err) || performance.now() > untilMs)
          throw new Error(`satchel-admin fsck failed: ${err}`);
        await sleep(100);
      }
    },
    dataDir,
  };
}
export type LaunchedSite = Awaited<ReturnType<typeof createLaunchedSite>>;
