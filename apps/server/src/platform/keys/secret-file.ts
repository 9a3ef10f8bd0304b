import { constants } from 'node:fs';
import { type FileHandle, open, readFile, rename, unlink } from 'node:fs/promises';
import { isMissing } from './durable-file.ts';

/**
 * Small files with a secret. `unlink` alone leaves their bytes in the file system's free blocks, so a file is overwritten
 * where it lies before it goes: write zeros over it, fsync, unlink. docs/deploy.md says where that reaches and where not.
 */

/** What a file is called while it is written, and while it is deleted. */
export const UNFINISHED = '.new';
export const DELETED = '.gone';

/**
 * A file system may keep a small file in its inode or its metadata, and with that in the journal, where overwriting doesn't
 * reach. A whole block is kept as a block.
 */
const BLOCK_BYTES = 4096;

/** The secret is gone, but its bytes may still be on the disk. */
export class NotOverwrittenError extends Error {
  override readonly name = 'NotOverwrittenError';
  constructor(cause: unknown) {
    super('A secret was unlinked without being overwritten', { cause });
  }
}

type Report = (error: unknown) => void;

async function unlinkIfThere(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}

/** Zeros over the same bytes: neither longer nor cut, either of which could move the file to other blocks. */
async function overwrite(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  await file.write(Buffer.alloc(size), 0, size, 0);
  await file.sync();
}

async function overwriteAt(path: string): Promise<void> {
  // A symbolic link is not ours, and what it points to isn't either.
  const file = await open(path, constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0));
  await overwrite(file).finally(() => file.close());
}

async function overwriteAndUnlink(path: string, report: Report): Promise<void> {
  await overwriteAt(path).catch((error: unknown) => {
    if (!isMissing(error)) report(new NotOverwrittenError(error));
  });
  await unlinkIfThere(path);
}

/**
 * Deletes a secret; a second time does nothing. The folder's fsync is the caller's, once for all files that it deletes.
 * @param report told of a NotOverwrittenError; the file is unlinked all the same
 * @throws what the file system says when a file can't be unlinked
 */
export async function deleteSecretFile(path: string, report: Report): Promise<void> {
  // The new name takes the file away from a write that isn't finished: its own rename then fails.
  const renamed = await rename(path, path + DELETED).catch((error: unknown) => error);
  // A full disk may have no room for a name, and takes one away all the same.
  const isStuck = renamed !== undefined && !isMissing(renamed);
  await overwriteAndUnlink(isStuck ? path : path + DELETED, report);
}

/** What a file was called before it was being deleted. */
export const nameBeforeDeletion = (name: string): string =>
  name.endsWith(DELETED) ? name.slice(0, -DELETED.length) : name;

/**
 * Writes a file that only this user may read: whole or not at all, its content durable when this resolves.
 * @param report told of a NotOverwrittenError when the write fails and what it wrote can't be overwritten
 * @throws what the file system says, ENOENT when the file was deleted before it was finished
 */
export async function writeSecretFile(path: string, secret: string, report: Report): Promise<void> {
  // What a crash left, or the same call before: replacing it would free its blocks as they are.
  for (const left of [path, path + UNFINISHED]) await deleteSecretFile(left, report);
  const text = Buffer.from(secret);
  const file = await open(path + UNFINISHED, 'wx', 0o600);
  try {
    await file.writeFile(Buffer.concat([text, Buffer.alloc(BLOCK_BYTES - (text.length % BLOCK_BYTES))]));
    await file.sync();
    await rename(path + UNFINISHED, path);
  } catch (error) {
    // Deleted while it was written: its blocks can be reached through this descriptor only.
    await overwrite(file).catch((cause: unknown) => report(new NotOverwrittenError(cause)));
    await unlinkIfThere(path + UNFINISHED);
    throw error;
  } finally {
    await file.close();
  }
}

/** The secret, or null when there is none, or it is being deleted. */
export async function readSecretFile(path: string): Promise<string | null> {
  try {
    // Zeros follow the secret, and take its place once it is overwritten.
    const [secret = ''] = (await readFile(path, 'utf8')).split('\0', 1);
    return secret || null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
