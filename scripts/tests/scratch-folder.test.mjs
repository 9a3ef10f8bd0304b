import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
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

function leave(name, pid, hoursAgo) {
  const folder = join(memoryDisk, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'owner-pid'), String(pid));
  const then = new Date(Date.now() - hoursAgo * 3_600_000);
  utimesSync(folder, then, then);
  return folder;
}

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

test('removes the folder of a run killed long ago, and none that is in use or another user’s', () => {
  const abandoned = leave('satchel-test-abandoned', NO_PROCESS, 2);
  const kept = [
    leave('satchel-test-young', NO_PROCESS, 0),
    leave('satchel-test-running', process.pid, 2),
    leave('another-program', NO_PROCESS, 2),
  ];
  makeScratchFolder({ memoryDisk, availableBytes: PLENTY });
  expect(existsSync(abandoned)).toBe(false);
  expect(kept.map((folder) => existsSync(folder))).toEqual([true, true, true]);
});
