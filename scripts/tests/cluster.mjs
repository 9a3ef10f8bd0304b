import { join } from 'node:path';
import { buildInChild } from '../launch/build-outputs.mjs';
import { onStopRequest } from '../runtime/children.mjs';
import { ROOT } from '../runtime/paths.mjs';
import { explain } from '../runtime/start-error.mjs';
import { ensureNginx } from './browser-and-proxy.mjs';
import { startPostgres } from './private-postgres.mjs';
import { startGroup } from './process-group.mjs';

const NODES = 3;

/**
 * `npm run cluster [-- NODES [SECONDS]]`: a site of several nodes on this machine (tests/support/site), until Ctrl-C. With
 * seconds, one of the nodes is killed so often.
 */
export async function runCluster([nodes = String(NODES), killEverySeconds]) {
  if (!(await buildInChild())) process.exit(1);
  const nginx = ensureNginx();
  if (!nginx) process.exit(1);
  const postgres = await startPostgres({ isDurable: true }).catch(explain);
  const cluster = startGroup([join(ROOT, 'tests/support/site/run-cluster.ts')], {
    NGINX_PATH: nginx,
    TEST_DATABASE_URL: postgres.url,
    SITE_NODES: nodes,
    ...(killEverySeconds && { SITE_KILLS_EVERY: killEverySeconds }),
  });
  const end = async (code) => {
    await postgres.stop();
    process.exit(code);
  };
  onStopRequest(() => cluster.stop().then(() => end(0)));
  await end(await cluster.exited);
}
