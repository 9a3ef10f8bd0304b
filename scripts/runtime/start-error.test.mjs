import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const MODULE = JSON.stringify(join(import.meta.dirname, 'start-error.mjs'));

/** @returns what a launcher prints that fails with what `act` throws, and its exit code */
function endedBy(act) {
  const script = `import { explain, StartError } from ${MODULE}; import fs from 'node:fs'; try { ${act} } catch (error) { explain(error); }`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  return { status, stderr };
}

test('a disk that is full or read-only ends a launcher with 2 and one line', () => {
  expect(endedBy("fs.writeFileSync('/dev/full', 'x')")).toEqual({
    status: 2,
    stderr: 'satchel: nothing can be written: the disk is full\n',
  });
  const readOnly = "Object.assign(new Error(), { code: 'EROFS', path: '/srv/satchel/.runtime/build.lock' })";
  expect(endedBy(`throw ${readOnly}`)).toEqual({
    status: 2,
    stderr: 'satchel: /srv/satchel/.runtime/build.lock can’t be written: the disk is read-only\n',
  });
});

test('what a launcher knows how to say is one line, and all else is shown whole', () => {
  expect(endedBy("throw new StartError('no network')")).toEqual({ status: 1, stderr: 'satchel: no network\n' });
  const { status, stderr } = endedBy("throw new TypeError('a mistake')");
  expect([status, stderr.includes('TypeError: a mistake\n    at ')]).toEqual([1, true]);
});
