import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { NODE_BIN } from './node-install.mjs';
import { RELEASE_FILE, ROOT } from './paths.mjs';

test('a release writes nothing into its own folder, which may belong to another user', () => {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-release-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const node = join(folder, '.runtime', NODE_BIN);
  mkdirSync(dirname(node), { recursive: true });
  copyFileSync(process.execPath, node);
  cpSync(join(ROOT, 'scripts/runtime'), join(folder, 'scripts/runtime'), { recursive: true });
  symlinkSync(join(ROOT, 'scripts/node-pins.json'), join(folder, 'scripts/node-pins.json'));
  writeFileSync(join(folder, RELEASE_FILE), '{}');
  writeFileSync(
    join(folder, 'start.mjs'),
    `import { enterRuntime } from './scripts/runtime/enter-runtime.mjs';
     await enterRuntime(import.meta.url);
     process.stdout.write('started');`,
  );
  const before = readdirSync(folder, { recursive: true }).sort();
  expect(execFileSync(node, [join(folder, 'start.mjs')], { encoding: 'utf8' })).toBe('started');
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(before);
});
