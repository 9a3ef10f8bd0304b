import { buildInChild, SERVER_MAIN } from '../../scripts/launch/build-outputs.mjs';

/** The built server, for tests that start it as a process: it starts three times as fast as its sources. */
export async function setup() {
  if (!(await buildInChild(['server']))) throw new Error('the build failed; see above');
  process.env.TEST_SERVER = SERVER_MAIN;
}
