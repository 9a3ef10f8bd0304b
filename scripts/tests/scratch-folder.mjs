import {
  accessSync,
  constants,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY_DISK = '/dev/shm';
const PREFIX = 'satchel-test-';
const OWNER = 'owner-pid';
const GIB = 1024 ** 3;
/** Databases, their log, and stored files of all tests at one time are a fifth of it. */
const DISK_MIN_BYTES = 2 * GIB;
const MEMORY_MIN_BYTES = 4 * GIB;
const ABANDONED_AFTER_MS = 3_600_000;

/**
 * Makes a folder for one run of the tests: in memory, where there is room. On a disk, creating and dropping the hundred
 * databases of a run takes longer than many a suite.
 * @param {{ memoryDisk?: string, availableBytes?: number }} [options]
 * @returns {string}
 */
export function makeScratchFolder({ memoryDisk = MEMORY_DISK, availableBytes = process.availableMemory() } = {}) {
  const isRoomy = availableBytes >= MEMORY_MIN_BYTES && hasRoom(memoryDisk);
  if (isRoomy) removeAbandoned(memoryDisk);
  const folder = mkdtempSync(join(isRoomy ? memoryDisk : tmpdir(), PREFIX));
  writeFileSync(join(folder, OWNER), String(process.pid));
  return folder;
}

function hasRoom(disk) {
  try {
    accessSync(disk, constants.W_OK);
    const { bavail, bsize } = statfsSync(disk);
    return bavail * bsize >= DISK_MIN_BYTES;
  } catch {
    return false;
  }
}

/** A run that was killed outright left its folder, which would take up memory until the machine starts anew. */
function removeAbandoned(disk) {
  for (const name of readdirSync(disk).filter((each) => each.startsWith(PREFIX))) {
    const folder = join(disk, name);
    try {
      const isOld = statSync(folder).mtimeMs < Date.now() - ABANDONED_AFTER_MS;
      if (isOld && !isRunning(Number(readFileSync(join(folder, OWNER), 'utf8')))) rmSync(folder, { recursive: true });
    } catch {
      // Another user's folder, or one deleted in this moment.
    }
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}
