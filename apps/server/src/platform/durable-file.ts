import { open } from 'node:fs/promises';

/** True when a file-system call failed because there is no such file. */
export const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

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
