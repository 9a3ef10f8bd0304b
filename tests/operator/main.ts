import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bareDebian, copyDebian, pasteBefore, startMachine } from './debian-machine.ts';
import { createMaintainer } from './maintainer.ts';
import { createOperator, say } from './operator.ts';
import { ADDRESS, install, PARTS, packages } from './parts.ts';
import { makeReleases } from './releases.ts';

/**
 * Usage, as root: npm run test:operator -- [bot] [restore] [unit] [postgres] [upgrade] [keys] [--work FOLDER]. A new operator on a bare
 * Debian who does what docs/deploy.md says, by copying its lines: a release, its unit under a systemd, nginx with TLS and real
 * clients; then all parts, or those that are named. With --work a Debian and releases of an earlier trial are used again.
 */

const { values, positionals } = parseArgs({ options: { work: { type: 'string' } }, allowPositionals: true });
const names = positionals.length > 0 ? positionals : Object.keys(PARTS);
const parts = names.map((name) => {
  const part = PARTS[name as keyof typeof PARTS];
  if (!part) throw new Error(`There is no part "${name}"; there are: ${Object.keys(PARTS).join(', ')}`);
  return part;
});
const work = values.work ? resolve(values.work) : mkdtempSync(join(tmpdir(), 'satchel-operator-'));
mkdirSync(work, { recursive: true });

const releases = makeReleases(work);
const [root, visitorsFolder] = [join(work, 'machine'), join(work, 'visitors')];
for (const folder of [root, visitorsFolder]) if (existsSync(folder)) rmSync(folder, { recursive: true });
mkdirSync(visitorsFolder);
copyDebian(bareDebian(work), root, [ADDRESS]);
// The packages come while the folder still has this machine's network.
pasteBefore(root, packages());
const machine = await startMachine(root);
let isPassed = false;
try {
  const maintainer = createMaintainer(work, root, releases, visitorsFolder);
  const operator = createOperator(machine, releases, maintainer, visitorsFolder);
  await install(operator);
  for (const part of parts) await part(operator);
  isPassed = true;
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  say(await machine.paste('journalctl --no-pager -n 60 -u satchel -u nginx').catch(() => ''));
} finally {
  await machine.end();
}
// Nothing is mounted in it any more: its mounts were the machine's own.
rmSync(root, { recursive: true, force: true });
if (!values.work) rmSync(work, { recursive: true, force: true });
process.stdout.write(isPassed ? 'the trial is passed\n' : 'the trial has failed\n');
process.exit(isPassed ? 0 : 1);
