import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { fsyncFolder, isMissing, writePrivately } from './durable-file.ts';

/**
 * A data directory and a database know each other by the id of their site: in a row there, in a file here. With another
 * directory's files a sweep would discard every upload, and leave every blob behind.
 */

const FILE = 'site-id';

export class SiteIdError extends Error {
  override readonly name = 'SiteIdError';
}

/** The site that a data directory belongs to; null where no start has come so far. */
export async function readSiteId(dataDir: string): Promise<string | null> {
  try {
    return (await readFile(join(dataDir, FILE), 'utf8')).trim() || null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function writeId(dataDir: string, id: string): Promise<void> {
  const path = join(dataDir, FILE);
  await writePrivately(`${path}.new`, `${id}\n`);
  await rename(`${path}.new`, path);
  await fsyncFolder(dataDir);
}

interface SiteRow {
  readonly role: string;
  readonly id: string;
  readonly is_paired: boolean;
}

/** @throws SiteIdError naming both */
function requirePair(rows: readonly SiteRow[], role: string, dataDir: string, own: string | null): void {
  const known = rows[0]?.id ?? null;
  const isPaired = rows.some((row) => row.role === role && row.is_paired);
  // The row comes first: a directory without a file is one whose first start has not come so far.
  if (own === known || (own === null && !isPaired)) return;
  const [here, there] = [own, known].map((id) => (id === null ? 'no site yet' : `site ${id}`));
  throw new SiteIdError(
    `DATA_DIR: ${dataDir} belongs to ${here}, and the database of DATABASE_URL to ${there}; docs/deploy.md says how to join them`,
  );
}

/**
 * Compares the two ids, or gives both to a directory and a database that have none.
 * @param become makes this process the site's holder, and the site's row where there is none yet
 * @throws SiteIdError when they differ; then nothing has changed
 */
export async function pairDirectory(
  client: pg.Client,
  { role, dataDir, become }: { role: string; dataDir: string; become: () => Promise<void> },
): Promise<void> {
  const find = async () => (await client.query<SiteRow>('select role, id, is_paired from site')).rows;
  const own = await readSiteId(dataDir);
  requirePair(await find(), role, dataDir, own);
  await become();
  if (own === null) await writeId(dataDir, (await find())[0]!.id);
  await client.query('update site set is_paired = true where role = $1 and not is_paired', [role]);
}
