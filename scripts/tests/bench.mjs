import { join } from 'node:path';
import { ROOT } from '../runtime/paths.mjs';
import { requireBuild, runBesidePostgres } from './beside-postgres.mjs';
import { ensureChromium } from './browser-and-proxy.mjs';

/** Measures against the built server and a real Chromium; exits with the bench's own verdict. */
export async function runBench(args) {
  await requireBuild();
  const chromium = ensureChromium();
  const env = chromium ? { CHROMIUM_PATH: chromium } : {};
  await runBesidePostgres([join(ROOT, 'tests/bench/main.ts'), ...args], { env });
}
