import { constants } from 'node:fs';
import { type FileHandle, open, readFile, rename, unlink } from 'node:fs/promises';
import { isMissing, unlessMissing } from '../durable-file.ts';

/**
 * Small files with a secret. `unlink` alone leaves their bytes in free blocks of the file system, so a deletion
 * overwrites the file in place first: write zeros, fsync, unlink. docs/deploy says where this works and where it
 * does not.
 */

/** Suffixes of a file that is being written, and of one that is being deleted. */
export const UNFINISHED = '.new';
export const DELETED = '.gone';

/**
 * A file system may store a small file in its inode or metadata, and so in the journal, which overwriting doesn't
 * reach. A whole block is stored as a block.
 */
const BLOCK_BYTES = 4096;

/** The secret is unlinked, but its bytes may still be on the disk. */
export class NotOverwrittenError extends Error {
  override readonly name = 'NotOverwrittenError';
  constructor(cause: unknown) {
    super('A secret was unlinked without being overwritten', { cause });
  }
}

type Report = (error: unknown) => void;

/** Writes zeros over the same bytes, without changing the size, which could move the file to other blocks. */
async function overwrite(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  await file.write(Buffer.alloc(size), 0, size, 0);
  await file.sync();
}

async function overwriteAt(path: string): Promise<void> {
  // A symbolic link does not belong to the server, and neither does its target.
  const file = await open(path, constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0));
  await overwrite(file).finally(() => file.close());
}

async function overwriteAndUnlink(path: string, report: Report): Promise<void> {
  await overwriteAt(path).catch((error: unknown) => {
    if (!isMissing(error)) report(new NotOverwrittenError(error));
  });
  await unlessMissing(unlink(path), undefined);
}

/**
 * Deletes a secret; a second call does nothing. The caller fsyncs the folder once for all files that it deletes.
 * @param report is called with a NotOverwrittenError; the file is unlinked all the same
 * @throws the error of the file system when a file can't be unlinked
 */
export async function deleteSecretFile(path: string, report: Report): Promise<void> {
  // Renamed first, so that the rename of an unfinished write fails.
  const renamed = await rename(path, path + DELETED).catch((error: unknown) => error);
  // A full disk may refuse the new name, but allows the unlink.
  const isStuck = renamed !== undefined && !isMissing(renamed);
  await overwriteAndUnlink(isStuck ? path : path + DELETED, report);
}

/** The name of a file before its deletion began. */
export const nameBeforeDeletion = (name: string): string =>
  name.endsWith(DELETED) ? name.slice(0, -DELETED.length) : name;

/**
 * Writes a file that only this user may read, completely or not at all; its content is durable when this resolves.
 * @param report is called with a NotOverwrittenError when the write fails and its bytes can't be overwritten
 * @throws the error of the file system; ENOENT when the file was deleted during the write
 */
export async function writeSecretFile(path: string, secret: string, report: Report): Promise<void> {
  // Files of a crash or of an earlier write are deleted first: replacing them would free their blocks without
  // overwriting.
  for (const left of [path, path + UNFINISHED]) await deleteSecretFile(left, report);
  const text = Buffer.from(secret);
  const file = await open(path + UNFINISHED, 'wx', 0o600);
  try {
    await file.writeFile(Buffer.concat([text, Buffer.alloc(BLOCK_BYTES - (text.length % BLOCK_BYTES))]));
    await file.sync();
    await rename(path + UNFINISHED, path);
  } catch (error) {
    // Deleted during the write: only this descriptor reaches its blocks.
    await overwrite(file).catch((cause: unknown) => report(new NotOverwrittenError(cause)));
    await unlessMissing(unlink(path + UNFINISHED), undefined);
    throw error;
  } finally {
    await file.close();
  }
}

/** The secret, or null when there is none or it is being deleted. */
export async function readSecretFile(path: string): Promise<string | null> {
  // Zeros pad the secret, and replace it once it is overwritten.
  const [secret = ''] = (await unlessMissing(readFile(path, 'utf8'), '')).split('\0', 1);
  return secret || null;
}
