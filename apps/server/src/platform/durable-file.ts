import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** True when a file-system call failed because there is no such file. */
export const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** What a call of the file system answers, or something else where there is no such file. */
export const unlessMissing = <Found, Other>(call: Promise<Found>, otherwise: Other): Promise<Found | Other> =>
  call.catch((error: unknown) => {
    if (isMissing(error)) return otherwise;
    throw error;
  });

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
 * Makes a folder, and its missing parents, for this user alone. Node's own `recursive` hides why a read-only disk refuses, and
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

/** The folders of a store, each with a durable name before anything is stored in it. */
export interface DurableFolders {
  /** Resolves once the folder is there and its name is durable. */
  require(dir: string): Promise<void>;
  /** Has `require` look again, after the folder was found missing. */
  forget(dir: string): void;
}

/**
 * Also the name of a folder that is there may not be durable: another caller made it a moment ago, or a process that was killed
 * before its sync. So the first use of each folder by this process syncs the one above it, and those that come before its end
 * wait for that sync; later uses cost nothing. A root that is there is the operator's, and what is above it may not be readable.
 */
export function createDurableFolders(root: string): DurableFolders {
  const durable = new Map<string, Promise<void>>();

  async function syncNames(dir: string, topmost: string): Promise<void> {
    for (let each = dir; each.length >= topmost.length; each = dirname(each)) await fsyncFolder(dirname(each));
  }

  function once(dir: string, work: () => Promise<void>): Promise<void> {
    const known = durable.get(dir);
    if (known) return known;
    const done = work().catch((error: unknown) => {
      if (durable.get(dir) === done) durable.delete(dir);
      throw error;
    });
    durable.set(dir, done);
    return done;
  }

  async function makeRoot(): Promise<void> {
    const topmost = await makeFolders(root);
    if (topmost !== undefined) await syncNames(root, topmost);
  }

  return {
    require: (dir) =>
      once(dir, async () => {
        await once(root, makeRoot);
        await syncNames(dir, (await makeFolders(dir)) ?? dir);
      }),
    forget: (dir) => void durable.delete(dir),
  };
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
