import { ensurePostgres } from '../postgres/binaries.mjs';
import { DatabaseStartError } from '../postgres/database-start-error.mjs';
import { fail } from '../runtime/paths.mjs';
import { buildAll } from './build-outputs.mjs';

/** All that a start needs, so that it needs no network: the embedded PostgreSQL, too, unless DATABASE_URL names another. */
export async function buildEverything({ isForced }) {
  try {
    if (!process.env.DATABASE_URL) await ensurePostgres();
  } catch (error) {
    if (!(error instanceof DatabaseStartError)) throw error;
    fail(error.message, error.output);
  }
  process.exit((await buildAll({ isForced })) ? 0 : 1);
}
