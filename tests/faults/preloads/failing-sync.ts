import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Loaded into the server before its own modules: while the file that FAULTS_SYNC_FAILS names is there, each sync of a file
 * fails with EIO, and the bytes since its last sync are gone, as the system drops pages that a disk did not take.
 */

const flag = process.env.FAULTS_SYNC_FAILS ?? '';
const { fdatasync } = fs;
/** Bytes that were synced, by device and inode. */
const synced = new Map<string, number>();

function failingSync(fd: number, callback: (error: NodeJS.ErrnoException | null) => void): void {
  const { dev, ino, size } = fs.fstatSync(fd);
  const key = `${dev} ${ino}`;
  if (!fs.existsSync(flag)) {
    fdatasync(fd, (error) => {
      if (!error) synced.set(key, size);
      callback(error);
    });
    return;
  }
  const from = synced.get(key) ?? 0;
  if (size > from) fs.writeSync(fd, Buffer.alloc(size - from), 0, size - from, from);
  callback(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO', syscall: 'fdatasync' }));
}

Object.assign(fs, { fdatasync: failingSync });
syncBuiltinESMExports();
