import { buildInChild } from '../../scripts/launch/build-outputs.mjs';

/** The built server and page, made when their sources have changed. */
export async function setup() {
  if (!(await buildInChild())) throw new Error('the build failed; see above');
}
