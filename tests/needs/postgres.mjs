import { rmSync } from 'node:fs';
import { startPostgres } from '../../scripts/tests/private-postgres.mjs';
import { makeScratchFolder } from '../../scripts/tests/scratch-folder.mjs';

/** A PostgreSQL whose role may create databases: the one that DATABASE_URL names, or one that ends with the run. */
export async function setup() {
  if (process.env.TEST_DATABASE_URL) return undefined;
  const folder = makeScratchFolder();
  const postgres = await startPostgres({ folder });
  process.env.TEST_DATABASE_URL = postgres.url;
  return async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}
