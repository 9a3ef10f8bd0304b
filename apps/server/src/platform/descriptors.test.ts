import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const MODULE = join(import.meta.dirname, 'descriptors.ts');
const SCRIPT = `import { maxDescriptors } from ${JSON.stringify(MODULE)}; console.log(maxDescriptors());`;

test('maxDescriptors is the soft limit of the process', () => {
  const command = `ulimit -n 333 && exec "$0" --input-type=module --eval "$1"`;
  const printed = execFileSync('/bin/sh', ['-c', command, process.execPath, SCRIPT], { encoding: 'utf8' });
  expect(printed.trim()).toBe('333');
});
