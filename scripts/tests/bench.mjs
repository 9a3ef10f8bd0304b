import { join } from 'node:path';
import { buildInChild } from '../launch/build-outputs.mjs';
import { onStopRequest } from '../runtime/children.mjs';
import { ROOT } from '../runtime/paths.mjs';
import { explain } from '../runtime/start-error.mjs';
import { ensureChromium } from './browser-and-proxy.mjs';
import { startPostgres } from './private-postgres.mjs';
import { startGroup } from './process-group.mjs';

/** Measures against the built server and a real Chromium; exits with the bench's own verdict. */
export async function runBench(args) {
  if (!(await buildInChild())) process.exit(1);
  const env = {};
  const chromium = ensureChromium();
  if (chromium) env.CHROMIUM_PATH = chromium;
  const postgres = await startPostgres({ isDurable: true }).catch(explain);
  env.TEST_DATABASE_URL = postgres.url;
  const bench = startGroup([join(ROOT, 'tests/bench/main.ts'), ...args], env);
  const end = async (code) => {
    await postgres.stop();
    process.exit(code);
  };
  onStopRequest(() => bench.stop().then(() => end(130)));
  await end(await bench.exited);
}
