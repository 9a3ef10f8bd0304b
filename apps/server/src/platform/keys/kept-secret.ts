import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fsyncFolder, unlessMissing, writePrivately } from '../durable-file.ts';

export const SESSION_SECRET = 'session-secret';

interface KeptSecret {
  readonly setting: string | null;
  /** Folder of the 0600 file of a secret that is made. */
  readonly dir: string;
  /** Name of that file. */
  readonly name: string;
}

/** A secret of this installation as `keptSecret` has it; null when none has been made. */
export async function readKeptSecret({ setting, dir, name }: KeptSecret): Promise<Buffer | null> {
  if (setting !== null) return Buffer.from(setting);
  const kept = await unlessMissing(readFile(join(dir, name), 'utf8'), '');
  // A file that a crash cut short during the first start was never used to sign or seal.
  return kept.trim().length >= 43 ? Buffer.from(kept.trim()) : null;
}

/**
 * A secret of this installation: the setting, or one that is made once and stored, so that signatures and seals survive
 * a restart (docs/container.md §3). The text of its file is the secret: as a setting, it stays the same.
 */
export async function keptSecret(options: KeptSecret): Promise<Buffer> {
  const kept = await readKeptSecret(options);
  if (kept !== null) return kept;
  const path = join(options.dir, options.name);
  const secret = randomBytes(32).toString('base64url');
  await mkdir(options.dir, { recursive: true, mode: 0o700 });
  await writePrivately(path, `${secret}\n`);
  await fsyncFolder(options.dir);
  return Buffer.from(secret);
}
