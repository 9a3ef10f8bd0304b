import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeScratchFolder } from './scratch-folder.mjs';

const PLENTY = 64 * 1024 ** 3;
const NO_PROCESS = 2 ** 22 + 1;

let memoryDisk;
beforeEach(() => {
  memoryDisk = mkdtempSync(join(tmpdir(), 'satchel-memory-disk-'));
});
afterEach(() => rmSync(memoryDisk, { recursive: true }));

test('lies in memory where there is room', () => {
  expect(dirname(makeScratchFolder({ memoryDisk, availableBytes: PLENTY }))).toBe(memoryDisk);
});

test.each([
  ['little memory', { availableBytes: 1024 ** 3 }],
  ['no such disk', { memoryDisk: '/nowhere', availableBytes: PLENTY }],
])('lies on the disk where there is %s', (_why, options) => {
  const folder = makeScratchFolder({ memoryDisk, ...options });
  expect(dirname(folder)).toBe(tmpdir());
  rmSync(folder, { recursive: true });
});

test('removes the folder of a run that was killed, and none that is in use or another program’s', () => {
  const names = [`satchel-test-${NO_PROCESS}-abc`, `satchel-test-${process.pid}-abc`, `other-test-${NO_PROCESS}-abc`];
  const folders = names.map((name) => join(memoryDisk, name));
  for (const folder of folders) mkdirSync(folder);
  makeScratchFolder({ memoryDisk, availableBytes: PLENTY });
  expect(folders.map((folder) => existsSync(folder))).toEqual([false, true, true]);
});
