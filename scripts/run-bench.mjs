import { join } from 'node:path';
import { ensureChromium, ensureNginx } from './browser-and-proxy.mjs';
import { buildAll } from './build-outputs.mjs';
import { onStopRequest } from './children.mjs';
import { ROOT } from './paths.mjs';
import { startGroup } from './process-group.mjs';

/** Measures against the built server and a real Chromium; exits with the bench's own verdict. */
export async function runBench(args) {
  if (!(await buildAll())) process.exit(1);
  const env = {};
  const chromium = ensureChromium();
  if (chromium) env.CHROMIUM_PATH = chromium;
  const nginx = ensureNginx();
  if (nginx) env.NGINX_PATH = nginx;
  const bench = startGroup([join(ROOT, 'tests/bench/main.ts'), ...args], env);
  onStopRequest(() => bench.stop().then(() => process.exit(130)));
  process.exit(await bench.exited);
}
