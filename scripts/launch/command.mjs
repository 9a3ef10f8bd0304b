import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildAll } from './build-outputs.mjs';
import { onStopRequest, startNode } from './children.mjs';
import { startEmbeddedPostgres } from './embedded-postgres.mjs';
import { ROOT } from './paths.mjs';
import { clusterOf } from './postgres/cluster.mjs';
import { DatabaseStartError } from './postgres/database-start-error.mjs';
import { findRunningPostgres } from './postgres/running.mjs';

/** What the command itself ends with when it can't look. */
const UNUSABLE = 2;

/**
 * Runs one of the operator's commands by the settings of this shell. Without DATABASE_URL it takes the database that a
 * running site has in DATA_DIR, and runs that one for as long as the command takes where no site is running.
 */
export async function runSatchel(args) {
  // The command's own output may be read by a program.
  process.stdout.write = process.stderr.write.bind(process.stderr);
  if (!(await buildAll())) process.exit(UNUSABLE);
  const database = await reachDatabase(process.env).catch(explain);
  const command = startNode([join(ROOT, 'apps/server/dist/satchel.js'), ...args], { env: database.env });
  onStopRequest(
    () => command.stop(),
    () => command.kill(),
  );
  const { code } = await command.exited;
  await database.stop();
  process.exit(code);
}

async function reachDatabase(settings) {
  const dataDir = resolve(ROOT, settings.DATA_DIR || 'data');
  const isEmbedded = !settings.DATABASE_URL && existsSync(join(clusterOf(dataDir).data, 'PG_VERSION'));
  if (!isEmbedded) return { env: {}, stop: async () => {} };
  const running = await findRunningPostgres(dataDir);
  if (running) return { env: { DATABASE_URL: running }, stop: async () => {} };
  const { url, stop } = await startEmbeddedPostgres({ dataDir });
  return { env: { DATABASE_URL: url }, stop };
}

function explain(error) {
  if (!(error instanceof DatabaseStartError)) throw error;
  process.stderr.write(`${error.output ? `${error.output.trimEnd()}\n` : ''}satchel: ${error.message}\n`);
  process.exit(UNUSABLE);
}
