import { resolve } from 'node:path';
import { startEmbeddedPostgres } from '../postgres/embedded-postgres.mjs';
import { ROOT } from '../runtime/paths.mjs';
import { namesDatabase } from './database-setting.mjs';

const ELSEWHERE = {
  env: {},
  exited: new Promise(() => {}),
  isReady: async () => {},
  expectStop: () => {},
  stop: async () => {},
};

/**
 * The database of a start: DATABASE_URL's, or else one in DATA_DIR that lives as long as this process.
 * @returns {Promise<{ env: object, exited: Promise<string>, isReady: () => Promise<void>, expectStop: () => void,
 *   stop: () => Promise<void> }>} what the server's environment gets; the rest as of startEmbeddedPostgres
 */
export async function provideDatabase(settings) {
  if (namesDatabase(settings)) return ELSEWHERE;
  const dataDir = resolve(ROOT, settings.DATA_DIR || 'data');
  const { url, ...postgres } = await startEmbeddedPostgres({ dataDir });
  return { env: { DATABASE_URL: url }, ...postgres };
}
