import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { clusterOf } from '../postgres/cluster.mjs';
import { startEmbeddedPostgres } from '../postgres/embedded-postgres.mjs';
import { findRunningPostgres } from '../postgres/running.mjs';
import { onStopRequest, startNode } from '../runtime/children.mjs';
import { ROOT } from '../runtime/paths.mjs';
import { buildAll } from './build-outputs.mjs';
import { namesDatabase } from './database-setting.mjs';
import { REGISTER_MAIN } from './sandbox-registration.mjs';

/**
 * Runs one of the operator's commands by the settings of this shell. Without DATABASE_URL it takes the database that a
 * running site has in DATA_DIR, and runs that one for as long as the command takes where no site is running. A restore
 * begins one.
 */
export async function runAdmin(args) {
  if (!(await buildAll())) process.exit();
  const database = await reachDatabase(process.env, {
    mayBegin: args[0] === 'restore' && !args.includes('--help'),
  });
  const code = await runToEnd(['apps/server/dist/satchel-admin.js', ...args], database.env);
  await database.stop();
  process.exit(code);
}

/** Registers the bot by the settings of this shell. It needs nothing built: the entry runs as it is. */
export async function registerBot() {
  process.exit(await runToEnd([REGISTER_MAIN]));
}

/** @returns {Promise<number>} the exit code of an entry of the server */
async function runToEnd([entry, ...args], env = {}) {
  const child = startNode([resolve(ROOT, entry), ...args], { env });
  onStopRequest(
    () => child.stop(),
    () => child.kill(),
  );
  return (await child.exited).code;
}

async function reachDatabase(settings, { mayBegin }) {
  const dataDir = resolve(ROOT, settings.DATA_DIR || 'data');
  const isThere = mayBegin || existsSync(join(clusterOf(dataDir).data, 'PG_VERSION'));
  const isEmbedded = !namesDatabase(settings) && isThere;
  if (!isEmbedded) return { env: {}, stop: async () => {} };
  const running = await findRunningPostgres(dataDir);
  if (running) return { env: { DATABASE_URL: running }, stop: async () => {} };
  const { url, stop } = await startEmbeddedPostgres({ dataDir });
  return { env: { DATABASE_URL: url }, stop };
}
