import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Site, startSite } from '../support/site.ts';
import { answersOf, beside, endure, type FaultRow } from './fault-row.ts';
import { type KeptFiles, keepFiles } from './kept-files.ts';

/** What a disk does wrong. The disk is a small one in memory, mounted where only this process and its children see it. */

const KIB = 1024;
const MIB = 1024 * KIB;
const DISK_MIB = 24;
const FILE_BYTES = 2 * MIB;
const SYNC_FAILURES = 12;
const SYNC_FAILS_MS = 300;

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

/** The stored files of blobs that have so many bytes. */
const storedAs = (dataDir: string, sizeBytes: number): string[] =>
  readdirSync(join(dataDir, 'blobs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).length === sizeBytes);

const DAMAGES: Readonly<Record<string, (path: string) => void>> = {
  missing: (path) => unlinkSync(path),
  cut: (path) => truncateSync(path, 1000),
};

/** A blob is damaged behind the server's back: fsck says so, and what is read breaks off, or is refused. */
async function* damagedBlobs(site: Site, kept: KeptFiles, disk: string): AsyncGenerator<FaultRow> {
  let sizeBytes = MIB + 7;
  for (const [damage, act] of Object.entries(DAMAGES)) {
    sizeBytes += 1;
    await kept.upload(sizeBytes);
    const file = kept.files().at(-1)!;
    kept.answers.clear();
    const before = readFileSync(storedAs(disk, sizeBytes)[0]!);
    const [path = ''] = storedAs(disk, sizeBytes);
    act(path);
    const isWhole = await kept.read(file);
    if (isWhole) kept.wrong.push(`a blob that is ${damage} was answered as whole`);
    const { code, output } = await site.fsck('--hash');
    if (code !== 1) kept.wrong.push(`fsck does not find a blob that is ${damage}`);
    const note = `${answersOf(kept)}; fsck: ${/\w+_blob_\w+/.exec(output)?.[0] ?? 'nothing'}`;
    writeFileSync(path, before);
    const recoveredMs = await kept.recovered();
    await kept.settle();
    yield {
      fault: `a blob is ${damage}, then put back`,
      runs: 1,
      lost: kept.lost.splice(0),
      wrong: kept.wrong.splice(0),
      recoveredMs,
      note,
    };
  }
}

/** No device here fails a sync by itself, so the server's own call does, and drops what was not synced before. */
async function* failingSync(): AsyncGenerator<FaultRow> {
  const dir = mkdtempSync(join(tmpdir(), 'satchel-sync-'));
  const flag = join(dir, 'fails');
  const env = {
    NODE_OPTIONS: `--import ${new URL('preloads/failing-sync.ts', import.meta.url).href}`,
    FAULTS_SYNC_FAILS: flag,
    LOG_LEVEL: 'error',
  };
  const site = await startSite({ hasOneServer: true, env });
  try {
    const kept = await keepFiles(site);
    const failNowAndThen = async () => {
      for (let count = 0; count < SYNC_FAILURES; count += 1) {
        writeFileSync(flag, '');
        await sleep(SYNC_FAILS_MS);
        unlinkSync(flag);
        await sleep(SYNC_FAILS_MS);
      }
    };
    const work = async () => {
      await beside(kept, failNowAndThen);
      if (!kept.answers.has('503') || kept.answers.has('500')) kept.wrong.push(`not 503, but ${answersOf(kept)}`);
    };
    yield await endure('fsync: EIO, and its bytes dropped', site, kept, { work, mend: () => undefined });
  } finally {
    await site.stop();
    rmSync(dir, { recursive: true });
  }
}

export async function* diskFaults(): AsyncGenerator<FaultRow> {
  yield* onSmallDisk(fullDisk);
  yield* onSmallDisk(readOnlyDisk);
  yield* onSmallDisk(damagedBlobs);
  yield* failingSync();
}
