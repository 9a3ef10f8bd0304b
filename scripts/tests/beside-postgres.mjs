import { buildInChild } from '../launch/build-outputs.mjs';
import { onStopRequest } from '../runtime/children.mjs';
import { explain } from '../runtime/start-error.mjs';
import { startPostgres } from './private-postgres.mjs';
import { startGroup } from './process-group.mjs';

/** Builds what changed; ends this process where that fails. */
export async function requireBuild() {
  if (!(await buildInChild())) process.exit(1);
}

/**
 * Runs a program of the tests beside a PostgreSQL that commits durably, and ends this process with the program's code.
 * @param {string[]} args
 * @param {{ env?: object, stopCode?: number }} [options] `stopCode` is the code after Ctrl-C
 */
export async function runBesidePostgres(args, { env = {}, stopCode = 130 } = {}) {
  const postgres = await startPostgres({ isDurable: true }).catch(explain);
  const group = startGroup(args, { TEST_DATABASE_URL: postgres.url, ...env });
  const end = async (code) => {
    await postgres.stop();
    process.exit(code);
  };
  onStopRequest(() => group.stop().then(() => end(stopCode)));
  await end(await group.exited);
}
