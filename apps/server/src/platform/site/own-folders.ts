import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folders of the settings, in which a server writes. */

/** The message is one line that names setting, folder and reason. */
export class NotWritableError extends Error {
  override readonly name = 'NotWritableError';
}

/** What a disk refuses, in words. */
const DISK_WORDS: Readonly<Record<string, string>> = {
  EROFS: 'the file system is read-only',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EIO: 'the disk reports an error',
  EEXIST: 'a file is in its place',
  ENOTDIR: 'a file is in its place',
};
/** Why a disk refused a write; undefined for any other error. */
export const diskWordsOf = (error: unknown): string | undefined =>
  DISK_WORDS[(error as NodeJS.ErrnoException | null)?.code ?? ''];
/** A start that has to write nothing works on a full disk, which people can still read and delete from. */
const FULL = new Set(['ENOSPC', 'EDQUOT']);

/**
 * Makes a folder of the settings, and tries to write there: otherwise the first upload would find out.
 * @throws NotWritableError
 */
export function requireWritable(setting: string, dir: string): void {
  const trial = join(dir, `.trial-${process.pid}`);
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    writeFileSync(trial, 'x', { flush: true });
    rmSync(trial);
  } catch (error) {
    const isFull = FULL.has((error as NodeJS.ErrnoException).code ?? '');
    if (!isFull || !existsSync(dir)) {
      throw new NotWritableError(
        `${setting}: ${dir} can't be made or written (${diskWordsOf(error) ?? (error as NodeJS.ErrnoException).code})`,
      );
    }
    rmSync(trial, { force: true });
  }
}
