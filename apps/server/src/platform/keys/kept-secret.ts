import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fsyncFolder, isMissing, writePrivately } from '../durable-file.ts';

/**
 * A secret of this installation: the setting, or one that is made once and stored, so that signatures and seals survive
 * a restart (DESIGN §2, CONTAINER §3). The text of its file is the secret: as a setting, it stays the same.
 * @param options.dir folder of the 0600 file of a secret that is made
 * @param options.name name of that file
 */
export async function keptSecret(options: { setting: string | null; dir: string; name: string }): Promise<Buffer> {
  if (options.setting !== null) return Buffer.from(options.setting);
  const path = join(options.dir, options.name);
  const kept = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return '';
    throw error;
  });
  // A file that a crash cut short during the first start was never used to sign or seal.
  if (kept.trim().length >= 43) return Buffer.from(kept.trim());

  const secret = randomBytes(32).toString('base64url');
  await mkdir(options.dir, { recursive: true, mode: 0o700 });
  await writePrivately(path, `${secret}\n`);
  await fsyncFolder(options.dir);
  return Buffer.from(secret);
}
