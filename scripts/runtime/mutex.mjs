import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 100;
let sequence = 0;

/**
 * Runs `task` while no other process runs one under the same name in the same directory.
 *
 * The lock names its holder and what the holder started (`alsoHeldBy`): after a kill -9 of a launcher, an `npm ci`
 * it left behind still counts as the holder until it ends, for two installations at once ruin each other.
 */
export async function withLock(directory, name, task, onWait = () => {}) {
  mkdirSync(directory, { recursive: true });
  const lock = join(directory, `${name}.lock`);
  const mine = `${lock}.${process.pid}-${++sequence}`;
  await acquire(lock, mine, onWait);
  const alsoHeldBy = (pid) => {
    writeFileSync(mine, describe([process.pid, pid]));
    renameSync(mine, lock);
  };
  const release = () => rmSync(lock, { force: true });
  process.once('exit', release);
  try {
    return await task(alsoHeldBy);
  } finally {
    process.off('exit', release);
    release();
  }
}

async function acquire(lock, mine, onWait) {
  let isWaiting = false;
  while (!tryAcquire(lock, mine)) {
    if (removeIfStale(lock, mine)) continue;
    if (!isWaiting) onWait();
    isWaiting = true;
    await sleep(POLL_MS);
  }
}

function tryAcquire(lock, mine) {
  // link() makes the lock appear whole or not at all; an exclusive create would show an empty file for a moment.
  writeFileSync(mine, describe([process.pid]));
  try {
    linkSync(mine, lock);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}

/** @returns whether there is reason to try again at once */
function removeIfStale(lock, mine) {
  const seen = readOrNothing(lock);
  if (seen === undefined) return true;
  if (isHeld(seen)) return false;
  // Rename first and check again: another process may have replaced the stale lock in between.
  const aside = `${mine}.stale`;
  try {
    renameSync(lock, aside);
  } catch {
    return true;
  }
  const taken = readOrNothing(aside);
  if (taken !== undefined && taken !== seen && isHeld(taken)) {
    try {
      linkSync(aside, lock);
    } catch {}
  }
  rmSync(aside, { force: true });
  return true;
}

function readOrNothing(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function describe(pids) {
  return JSON.stringify(pids.map((pid) => ({ pid, born: birthOf(pid) })));
}

function isHeld(text) {
  try {
    return JSON.parse(text).some(({ pid, born }) => isAlive(pid) && birthOf(pid) === born);
  } catch {
    return false;
  }
}

export function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** The kernel's start time of a process, which tells a holder from a later process that got the same number. */
function birthOf(pid) {
  const stat = readOrNothing(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}
