import { buildInChild } from '../../scripts/launch/build-outputs.mjs';

/** The built server and page, made when their sources have changed; sites run the sources themselves while Vitest watches. */
export async function setup(project) {
  if (project.vitest.config.watch) process.env.SITE_SOURCES = '1';
  else if (!(await buildInChild())) throw new Error('the build failed; see above');
}
