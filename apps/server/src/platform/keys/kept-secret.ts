import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fsyncFolder, isMissing, writePrivately } from './durable-file.ts';

/**
 * A secret of this installation: the setting, or one that is made once and kept, so that what was signed or sealed with
 * it outlives a restart (DESIGN §2, CONTAINER §3). A kept one is the text of its file: moved into the setting, it stays the
 * same secret.
 * @param options.dir where a made secret is kept, in a 0600 file
 * @param options.name the file's name
 */
export async function keptSecret(options: { setting: string | null; dir: string; name: string }): Promise<Buffer> {
  if (options.setting !== null) return Buffer.from(options.setting);
  const path = join(options.dir, options.name);
  const kept = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return '';
    throw error;
  });
  // A file cut short by a crash during the first start holds nothing that anything was signed or sealed with.
  if (kept.trim().length >= 43) return Buffer.from(kept.trim());

  const secret = randomBytes(32).toString('base64url');
  await mkdir(options.dir, { recursive: true, mode: 0o700 });
  await writePrivately(path, `${secret}\n`);
  await fsyncFolder(options.dir);
  return Buffer.from(secret);
}
