import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Site, startSite } from '../support/site.ts';
import { answersOf, endure, type FaultRow } from './fault-row.ts';
import { type KeptFiles, keepFiles } from './kept-files.ts';

/**
 * What a disk does wrong. The disk is a small one in memory, mounted where only this process and its children see it. One that
 * fails to sync is in tests/acceptance/faults.test.ts.
 */

const KIB = 1024;
const MIB = 1024 * KIB;
const DISK_MIB = 24;
const FILE_BYTES = 2 * MIB;

const mount = (...args: string[]) => execFileSync('mount', args, { stdio: ['ignore', 'inherit', 'inherit'] });

async function* onSmallDisk(use: (site: Site, kept: KeptFiles, disk: string) => AsyncGenerator<FaultRow>) {
  const disk = mkdtempSync(join(tmpdir(), 'satchel-disk-'));
  mount('-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', disk);
  try {
    // A reserve would refuse the uploads that are to meet the end of the disk.
    const site = await startSite({
      hasOneServer: true,
      env: { DATA_DIR: disk, DISK_KEPT_FREE_BYTES: '0', LOG_LEVEL: 'error' },
    });
    try {
      yield* use(site, await keepFiles(site), disk);
    } finally {
      await site.stop();
    }
  } finally {
    execFileSync('umount', ['-l', disk]);
    rmSync(disk, { recursive: true });
  }
}

async function* fullDisk(site: Site, kept: KeptFiles): AsyncGenerator<FaultRow> {
  const work = async () => {
    for (let count = 0; count < DISK_MIB && (await kept.upload(FILE_BYTES)); count += 1);
    await Promise.all([MIB, 300 * KIB, 3 * MIB].map((size) => kept.upload(size)));
    if (!kept.answers.has('507')) kept.wrong.push(`a full disk was not answered with 507: ${answersOf(kept)}`);
    for (const file of kept.files())
      if (!(await kept.read(file))) kept.lost.push(`${file.name} can’t be read on a full disk`);
  };
  // No restart: a person deletes files, which a full disk must allow.
  const mend = async () => {
    for (const file of kept.files().slice(0, 4)) {
      if (!(await kept.remove(file))) kept.wrong.push(`${file.name} can’t be deleted on a full disk`);
    }
  };
  yield await endure('disk full, then files are deleted', site, kept, { work, mend });
}

async function* readOnlyDisk(site: Site, kept: KeptFiles, disk: string): AsyncGenerator<FaultRow> {
  for (const size of [10 * KIB, FILE_BYTES]) await kept.upload(size);
  const work = async () => {
    mount('-o', 'remount,ro', disk);
    for (const size of [10 * KIB, FILE_BYTES]) {
      if (await kept.upload(size)) kept.wrong.push('a read-only disk took a file');
    }
    if (!kept.answers.has('503') || kept.answers.has('500')) kept.wrong.push(`not 503, but ${answersOf(kept)}`);
    for (const file of kept.files()) if (!(await kept.read(file))) kept.lost.push(`${file.name} can’t be read`);
  };
  yield await endure('disk read-only', site, kept, { work, mend: () => mount('-o', 'remount,rw', disk) });
}

export async function* diskFaults(): AsyncGenerator<FaultRow> {
  yield* onSmallDisk(fullDisk);
  yield* onSmallDisk(readOnlyDisk);
}
