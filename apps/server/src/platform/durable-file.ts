import { open } from 'node:fs/promises';

/** True when a file-system call failed because there is no such file. */
export const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Makes renames and removals inside a folder last through a power cut; a folder that is not there needs nothing. */
export async function fsyncFolder(dir: string): Promise<void> {
  try {
    const folder = await open(dir, 'r');
    await folder.sync().finally(() => folder.close());
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
