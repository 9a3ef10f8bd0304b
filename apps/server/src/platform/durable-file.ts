import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** True when a file-system call failed because there is no such file. */
export const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** @returns whether it made the folder; false where there is one */
async function makeFolder(dir: string): Promise<boolean> {
  try {
    await mkdir(dir, { mode: 0o700 });
    return true;
  } catch (error) {
    if (await isFolder(dir)) return false;
    throw error;
  }
}

/**
 * Makes a folder, and those above it, for this user alone. Node's own `recursive` hides why a read-only disk refuses, and
 * tries for ever where the system says that a folder below an existing one is missing, as /proc does.
 * @returns the topmost one that was made
 */
export async function makeFolders(dir: string): Promise<string | undefined> {
  try {
    return (await makeFolder(dir)) ? dir : undefined;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const parent = dirname(dir);
  // Another caller may have made the parent since: then the second try decides.
  const topmost = (await isFolder(parent)) ? undefined : await makeFolders(parent);
  return (await makeFolder(dir)) ? (topmost ?? dir) : topmost;
}

/** Makes renames and unlinks inside a folder durable; does nothing for a missing folder. */
export async function fsyncFolder(dir: string): Promise<void> {
  try {
    const folder = await open(dir, 'r');
    await folder.sync().finally(() => folder.close());
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Writes a file that only this user may read; its content is durable when this resolves. */
export async function writePrivately(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
