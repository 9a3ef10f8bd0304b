import { accessSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../runtime/mutex.mjs';

const MEMORY_DISK = '/dev/shm';
const GIB = 1024 ** 3;
/** Databases, their log, and stored files of all tests at one time are a fifth of it. */
const DISK_MIN_BYTES = 2 * GIB;
const MEMORY_MIN_BYTES = 4 * GIB;

/**
 * Makes a folder for one run of the tests: in memory, where there is room. On a disk, creating and dropping the hundred
 * databases of a run takes longer than many a suite. Its name has the id of the process that it belongs to.
 * @param {{ memoryDisk?: string, availableBytes?: number }} [options]
 * @returns {string}
 */
export function makeScratchFolder({ memoryDisk = MEMORY_DISK, availableBytes = process.availableMemory() } = {}) {
  const isRoomy = availableBytes >= MEMORY_MIN_BYTES && hasRoom(memoryDisk);
  if (isRoomy) removeAbandoned(memoryDisk);
  return mkdtempSync(join(isRoomy ? memoryDisk : tmpdir(), `satchel-test-${process.pid}-`));
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

/** A run that was killed outright left its folder, which would take up memory until the machine is started again. */
function removeAbandoned(disk) {
  for (const name of readdirSync(disk)) {
    const [, pid] = /^satchel-test-(\d+)-/.exec(name) ?? [];
    if (!pid || isAlive(Number(pid))) continue;
    try {
      rmSync(join(disk, name), { recursive: true });
    } catch {
      // Another user's folder, or one that was deleted in this moment.
    }
  }
}
