import { join } from 'node:path';
import { onStopRequest } from '../runtime/children.mjs';
import { fail, ROOT } from '../runtime/paths.mjs';
import { findProgram, isRoot } from '../runtime/programs.mjs';
import { ensureChromium } from './browser-and-proxy.mjs';
import { startGroup } from './process-group.mjs';

const PROGRAMS = ['debootstrap', 'unshare', 'nsenter', 'ip', 'git', 'openssl', 'ssh-keygen'];

/** A new operator's way on a bare Debian (tests/operator); exits with its verdict. */
export async function runOperatorTrial(args) {
  if (!isRoot()) fail('the trial makes a machine of namespaces, and only root may.');
  const missing = PROGRAMS.filter((name) => !findProgram([name], ['/usr/sbin', '/sbin']));
  if (missing.length > 0) fail(`the trial needs ${missing.join(', ')}.`);
  const chromium = ensureChromium();
  if (!chromium) process.exit(1);
  const trial = startGroup([join(ROOT, 'tests/operator/main.ts'), ...args], { CHROMIUM_PATH: chromium });
  onStopRequest(() => trial.stop().then(() => process.exit(130)));
  process.exit(await trial.exited);
}
