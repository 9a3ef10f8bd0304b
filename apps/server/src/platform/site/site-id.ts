import { link, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { fsyncFolder, unlessMissing, writePrivately } from '../durable-file.ts';

/**
 * Pairs a data directory with a database: both store the id of their site, in a file and in a row. With the files of
 * another site, a sweep would delete every upload and leave every blob behind.
 */

const FILE = 'site-id';

export class SiteIdError extends Error {
  override readonly name = 'SiteIdError';
}

/** The site that a data directory belongs to; null before its first start has written it. */
export async function readSiteId(dataDir: string): Promise<string | null> {
  return (await unlessMissing(readFile(join(dataDir, FILE), 'utf8'), '')).trim() || null;
}

/** Error codes of file systems without hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/**
 * Writes the id of a site into a directory, unless another start has just written one. The file is never incomplete.
 */
async function writeId(dataDir: string, id: string): Promise<void> {
  const path = join(dataDir, FILE);
  const whole = `${path}.${id}`;
  await writePrivately(whole, `${id}\n`);
  try {
    await link(whole, path);
    await unlink(whole);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') await unlink(whole);
    else if (NO_LINKS.has(code)) await rename(whole, path);
    else throw error;
  }
  await fsyncFolder(dataDir);
}

interface SiteRow {
  readonly role: string;
  readonly id: string;
  readonly is_paired: boolean;
}

/** @throws SiteIdError that names both sites */
function requirePair(rows: readonly SiteRow[], role: string, dataDir: string, own: string | null): void {
  const known = rows[0]?.id ?? null;
  const isPaired = rows.some((row) => row.role === role && row.is_paired);
  // The row is written before the file: a directory without a file may be one whose first start was interrupted.
  if (own === known || (own === null && !isPaired)) return;
  const [here, there] = [own, known].map((id) => (id === null ? 'no site yet' : `site ${id}`));
  throw new SiteIdError(
    `DATA_DIR: ${dataDir} belongs to ${here}, and the database of DATABASE_URL to ${there}; docs/deploy/backup-and-upgrade.md says how to join them`,
  );
}

/**
 * Compares the two ids, or gives both one when neither has one.
 * @param become makes this process the holder of the site, and creates the row of the site if there is none
 * @throws SiteIdError when they differ; then the directory is as it was, and a database that has had a site, too
 */
export async function pairDirectory(
  client: pg.Client,
  { role, dataDir, become }: { role: string; dataDir: string; become: () => Promise<void> },
): Promise<void> {
  const find = async () => (await client.query<SiteRow>('select role, id, is_paired from site')).rows;
  const own = await readSiteId(dataDir);
  requirePair(await find(), role, dataDir, own);
  await become();
  if (own === null) {
    const rows = await find();
    await writeId(dataDir, rows[0]!.id);
    requirePair(rows, role, dataDir, await readSiteId(dataDir));
  }
  await client.query('update site set is_paired = true where role = $1 and not is_paired', [role]);
}
