import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../postgres/embedded-postgres.mjs';
import { say } from '../runtime/paths.mjs';

/** Every site and app of a run at once, each with its own pool. */
const MAX_CONNECTIONS = 300;

/**
 * A PostgreSQL server for tests and bench, whose role may create databases: DATABASE_URL's, or a private one that lives
 * only as long as the run.
 * @param {{ isDurable?: boolean, folder?: string }} [options] true where what a commit costs is measured; where its data lie
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function startPostgres({ isDurable = false, folder = tmpdir() } = {}) {
  if (process.env.DATABASE_URL) {
    say('database: the PostgreSQL of DATABASE_URL');
    return { url: process.env.DATABASE_URL, stop: async () => {} };
  }
  const dataDir = mkdtempSync(join(folder, 'satchel-postgres-'));
  const removeData = () => rmSync(dataDir, { recursive: true, force: true });
  try {
    const postgres = await startEmbeddedPostgres({ dataDir, isDurable, maxConnections: MAX_CONNECTIONS });
    say('database: a private PostgreSQL');
    return { url: postgres.url, stop: () => postgres.stop().then(removeData) };
  } catch (error) {
    removeData();
    throw error;
  }
}
