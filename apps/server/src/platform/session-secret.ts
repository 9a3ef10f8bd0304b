import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fsyncFolder, isMissing, writePrivately } from './durable-file.ts';

const FILE = 'session-secret';

/**
 * What sessions' bearers are signed with: the setting, or a secret of this installation that is made once, so that
 * bearers and signed URLs outlive a restart (DESIGN §2).
 * @param options.dir where a made secret is kept, in a 0600 file
 */
export async function sessionSecret(options: { setting: string | null; dir: string }): Promise<Buffer> {
  if (options.setting !== null) return Buffer.from(options.setting);
  const path = join(options.dir, FILE);
  const kept = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return '';
    throw error;
  });
  // A file cut short by a crash during the first start holds nothing that anything was signed with.
  if (kept.trim().length >= 43) return Buffer.from(kept.trim(), 'base64url');

  const secret = randomBytes(32);
  await mkdir(options.dir, { recursive: true, mode: 0o700 });
  await writePrivately(path, `${secret.toString('base64url')}\n`);
  await fsyncFolder(options.dir);
  return secret;
}
