import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Processes and files that an earlier PostgreSQL left behind after a kill -9. */

const POLL_MS = 25;
const FAST_SHUTDOWN_MS = 10_000;
const ORPHANS_END_MS = 2000;
/** Above every pid_max: no process has this id. */
const NO_PROCESS = 2 ** 31 - 2;

/**
 * Ends every process that still works on a cluster, and makes its lock files say so. Only for a launcher that holds the
 * cluster: processes on it then belong to a launcher that has ended.
 */
export async function clearLeftovers({ data, socket }) {
  await endProcesses(data);
  disownPidFile(data);
  for (const path of [socket, socket && `${socket}.lock`]) if (path) rmSync(path, { force: true });
}

/** Asks the postmaster for a fast shutdown first; backends without a postmaster end by themselves, or are killed. */
export async function endProcesses(data) {
  const running = findProcesses(data);
  if (running.length === 0) return;
  const postmaster = readPid(data);
  if (running.includes(postmaster)) signal(postmaster, 'SIGINT');
  if (await areGone(data, running.includes(postmaster) ? FAST_SHUTDOWN_MS : ORPHANS_END_MS)) return;
  for (const pid of findProcesses(data)) signal(pid, 'SIGKILL');
  await areGone(data, ORPHANS_END_MS);
}

async function areGone(data, limitMs) {
  const deadline = Date.now() + limitMs;
  while (findProcesses(data).length > 0) {
    if (Date.now() > deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
}

export function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {}
}

/** The postmaster's process id, from its lock file. */
export const readPid = (data) => Number(readPidFile(data)?.[0]) || undefined;

/** Whether recovery has ended and connections are taken: the postmaster writes that into its lock file. */
export const isReady = (data) => readPidFile(data)?.[7]?.trim() === 'ready';

/** Where a PostgreSQL that is ready listens, from its lock file: in a folder, or at a port alone. */
export function readAddress(data) {
  if (!isReady(data)) return undefined;
  const [, , , port, folder] = readPidFile(data);
  return { port: Number(port), folder: folder.trim() || undefined };
}

function readPidFile(data) {
  try {
    return readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return undefined;
  }
}

/**
 * A reused id, or a zombie, would keep PostgreSQL out: it looks only whether a process of that number exists. The file
 * itself stays: it names the shared memory by which PostgreSQL notices backends that outlived their postmaster.
 */
function disownPidFile(data) {
  const lines = readPidFile(data);
  if (!lines) return;
  lines[0] = String(NO_PROCESS);
  if (lines[7] !== undefined) lines[7] = 'stopping';
  writeFileSync(join(data, 'postmaster.pid'), lines.join('\n'));
}

/** @returns {number[]} every PostgreSQL process of this cluster that can be seen from here */
export function findProcesses(data) {
  if (!existsSync(data)) return [];
  if (process.platform === 'linux') return findByFolder(realpathSync(data));
  const pid = readPid(data);
  const { stdout } = pid ? spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }) : {};
  return stdout?.includes(data) ? [pid] : [];
}

/** Postmaster and backends have the cluster as their working directory; so may an operator's shell. */
function findByFolder(folder) {
  const isOurs = (pid) => {
    try {
      const isPostgres = readFileSync(`/proc/${pid}/comm`, 'utf8') === 'postgres\n';
      return isPostgres && readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      return false;
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isOurs(name))
    .map(Number);
}
