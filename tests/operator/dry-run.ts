import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeBlock } from './fenced-blocks.ts';
import { DEPLOY, type Operator } from './operator.ts';
import { install, PARTS, packages } from './parts.ts';
import { readVersions } from './releases.ts';

/**
 * The trial without a machine: each part takes its blocks of the pages, and what it changes in them, and nothing is done. A page
 * that says something else now is noticed by `npm test`, and not only by the next trial.
 */

const folder = mkdtempSync(join(tmpdir(), 'satchel-dry-run-'));
const versions = readVersions();
writeFileSync(join(folder, `satchel-${versions.version}-linux-x64.tar.gz`), '');

const operator: Operator = {
  releases: { ...versions, folder, nextFolder: folder },
  maintainer: { home: folder, publish: () => undefined, certify: () => undefined },
  paste: async () => 'said',
  follow: async (has, changes) => takeBlock(DEPLOY, has, changes),
  read: () => '',
  write: () => undefined,
  untilReady: async () => undefined,
  visitorsFolder: folder,
  visitors: async () => undefined,
};

// What the parts say is for a trial.
process.stdout.write = () => true;
const problems: string[] = [];
const attempt = async (name: string, act: () => unknown) => {
  try {
    await act();
  } catch (error) {
    problems.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
};
await attempt('packages', packages);
await attempt('install', () => install(operator));
for (const [name, part] of Object.entries(PARTS)) await attempt(name, () => part(operator));
rmSync(folder, { recursive: true });
process.stderr.write(problems.map((problem) => `${problem}\n`).join(''));
process.exitCode = problems.length > 0 ? 1 : 0;
