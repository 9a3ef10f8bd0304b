// Holds the pages to the operator's trial, which copies their lines: each block that it takes is there, once, with what it changes.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const DRY_RUN = 'tests/operator/dry-run.ts';

/** @returns {string[]} one line for each part of the trial that does not find its blocks */
export function checkTrial(root) {
  const { status, stderr } = spawnSync(process.execPath, [join(root, DRY_RUN)], { cwd: root, encoding: 'utf8' });
  const lines = stderr.split('\n').filter((line) => line !== '');
  return status === 0 ? [] : [...lines, `the trial copies these lines: ${DRY_RUN}, npm run test:operator`];
}
