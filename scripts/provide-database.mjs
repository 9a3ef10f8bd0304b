import { resolve } from 'node:path';
import { startEmbeddedPostgres } from './embedded-postgres.mjs';
import { fail, ROOT } from './paths.mjs';
import { DatabaseStartError } from './postgres/database-start-error.mjs';

/**
 * The database of a start: DATABASE_URL's, or else one in DATA_DIR that lives as long as this process.
 * @returns {Promise<{ env: object, exited: Promise<string>, stop: () => Promise<void> }>} what the server's environment
 *   gets; why the database can't go on
 */
export async function provideDatabase(settings) {
  if (settings.DATABASE_URL) return { env: {}, exited: new Promise(() => {}), stop: async () => {} };
  try {
    const { url, exited, stop } = await startEmbeddedPostgres({ dataDir: resolve(ROOT, settings.DATA_DIR || 'data') });
    return { env: { DATABASE_URL: url }, exited, stop };
  } catch (error) {
    if (!(error instanceof DatabaseStartError)) throw error;
    return fail(error.message, error.output);
  }
}
