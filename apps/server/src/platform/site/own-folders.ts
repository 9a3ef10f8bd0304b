import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing, makeFolders } from '../durable-file.ts';

/** The folders in which a server, or a command, writes. */

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
 * Makes a folder and tries to write there: otherwise the first upload would find out.
 * @param setting what names the folder
 * @throws NotWritableError
 */
export async function requireWritable(setting: string, dir: string): Promise<void> {
  const trial = join(dir, `.trial-${process.pid}`);
  try {
    await makeFolders(dir);
    await writeFile(trial, 'x', { flush: true });
    await rm(trial);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!FULL.has(code) || !existsSync(dir)) {
      const why = isMissing(error) ? 'this file system takes no folder there' : (diskWordsOf(error) ?? code);
      throw new NotWritableError(`${setting}: ${dir} can't be made or written (${why})`);
    }
    await rm(trial, { force: true });
  }
}
