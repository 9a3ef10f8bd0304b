import { mkdir, open } from 'node:fs/promises';

/** True when a file-system call failed because there is no such file. */
export const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/**
 * Makes a folder, and those above it, for this user alone.
 * @returns the topmost one that was made
 */
export async function makeFolders(dir: string): Promise<string | undefined> {
  try {
    return await mkdir(dir, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (!isMissing(error)) throw error;
    // Node says so of every folder that a read-only disk refuses; the system itself says why.
    await mkdir(dir, { mode: 0o700 });
    return dir;
  }
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
