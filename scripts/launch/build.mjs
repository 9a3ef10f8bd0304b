import { ensurePostgres } from '../postgres/binaries.mjs';
import { buildAll } from './build-outputs.mjs';

/** All that a start needs, so that it needs no network: the embedded PostgreSQL, too, unless DATABASE_URL names another. */
export async function buildEverything({ isForced }) {
  if (!process.env.DATABASE_URL) await ensurePostgres();
  process.exit((await buildAll({ isForced })) ? 0 : 1);
}
