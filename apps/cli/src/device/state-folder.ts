import { createHash, randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** The folder of what this command keeps: sign-ins, keys, journals. Only its owner may read it. */

const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;

/** By the XDG Base Directory Specification; `APPDATA` on Windows. */
export function stateRoot(env: NodeJS.ProcessEnv): string {
  const base = env.XDG_CONFIG_HOME || (process.platform === 'win32' && env.APPDATA) || join(homedir(), '.config');
  return join(base, 'satchel');
}

/** A name for any text that is one segment of a path, and tells nothing of the text. */
export const hashName = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);

/** Makes a folder that only its owner enters; one that others may enter is closed to them. */
export async function openDirectory(path: string): Promise<string> {
  await mkdir(path, { recursive: true, mode: FOLDER_MODE });
  await chmod(path, FOLDER_MODE);
  return path;
}

/** Makes the entries of a folder durable: POSIX promises a rename only then. Windows has no such call, and needs none. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Binary values as text: JSON has none. */
const toText = (_name: string, value: unknown): unknown =>
  value instanceof Uint8Array ? { $bytes: Buffer.from(value).toString('base64url') } : value;

function fromText(_name: string, value: unknown): unknown {
  const bytes = value !== null && typeof value === 'object' && '$bytes' in value ? value.$bytes : undefined;
  return typeof bytes === 'string' ? new Uint8Array(Buffer.from(bytes, 'base64url')) : value;
}

/** Writes a file whole or not at all; it is durable once this resolves. */
export async function writeState(path: string, value: unknown): Promise<void> {
  const next = `${path}.${randomUUID()}.tmp`;
  const file = await open(next, 'wx', FILE_MODE);
  try {
    await file.writeFile(JSON.stringify(value, toText));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(next, path);
  await syncFolder(dirname(path));
}

/**
 * @returns null where there is no such file
 * @throws where a file is there and can't be read: its content must not be taken for nothing
 */
export async function readState<Value>(path: string): Promise<Value | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8'), fromText) as Value;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

export const removeState = (path: string): Promise<void> => rm(path, { recursive: true, force: true });

/** The names in a folder; none where there is no such folder. */
export async function namesIn(path: string): Promise<readonly string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Longer than any folder lives by default, and longer than a person waits to run a command again. */
const OLD_MS = 30 * 24 * 3_600_000;

/** Removes the files of a folder that were not written to for a month. */
export async function removeOld(folder: string): Promise<void> {
  for (const name of await namesIn(folder)) {
    const facts = await stat(join(folder, name)).catch(() => null);
    if (facts !== null && facts.mtimeMs < Date.now() - OLD_MS) await removeState(join(folder, name));
  }
}
