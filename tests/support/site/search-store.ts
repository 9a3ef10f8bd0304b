import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '../../../apps/server/src/platform/database/db.ts';
import { databaseFiles } from '../../../apps/server/test/support/database/kept-bytes.ts';
import type { Site } from './site.ts';

type Canaries = Readonly<Record<string, string | Buffer>>;

async function filesUnder(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/**
 * Searches all that the server stores (blobs, database files, key shares, secrets) and its log.
 * Returns lines of `canary in place`; with `shares`, the key shares themselves, too.
 */
export async function findInStore(
  site: Site,
  canaries: Canaries,
  what: 'canaries' | 'shares' = 'canaries',
): Promise<string[]> {
  const files = await filesUnder(site.dataDir);
  if (what === 'shares') {
    const shares = files.filter((path) => path.startsWith(join(site.dataDir, 'keys')));
    return Promise.all(shares.map(async (path) => shareText(await readFile(path))));
  }
  const found: string[] = [];
  const look = (bytes: Buffer, place: string) => {
    for (const [name, canary] of Object.entries(canaries))
      if (bytes.includes(canary)) found.push(`${name} in ${place}`);
  };
  for (const path of files) look(await readFile(path), path.slice(site.dataDir.length + 1));
  const { db, close } = await openDatabase({ url: site.databaseUrl });
  for await (const { path, bytes } of databaseFiles(db, null)) look(bytes, `the database: ${path}`);
  await close();
  look(Buffer.from(site.logs()), 'the log');
  return found;
}

/** A share file holds the share's base64url text, padded with zeros to a block. */
const shareText = (bytes: Buffer): string => bytes.toString('utf8').replace(/\0+$/, '');
