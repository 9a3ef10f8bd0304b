import { spawnSync } from 'node:child_process';

/** A process that starts, touches fresh memory, computes, and syncs files: what tests wait for, in small. */
const WORK = `
const { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } = require('node:fs');
const folder = mkdtempSync(require('node:path').join(require('node:os').tmpdir(), 'satchel-pace-'));
const bytes = Buffer.alloc(48 * 1024 * 1024, 7);
require('node:crypto').createHash('sha256').update(bytes).digest();
for (let at = 0; at < 20; at += 1) {
  const file = openSync(folder + '/' + at, 'w');
  writeSync(file, bytes.subarray(0, 65536));
  fsyncSync(file);
  closeSync(file);
}
rmSync(folder, { recursive: true });
`;
const TIMES = 4;
/** What that takes on the makers' machine (two cores of a server of 2026), idle. */
const REFERENCE_MS = 500;

/**
 * How many times longer than on the makers' machine the same work takes here; at least 1. The first caller of a run measures,
 * and leaves the result in TEST_PACE for all processes of the run: every deadline of the tests is multiplied by it.
 * @returns {number}
 */
export function measurePace() {
  if (!process.env.TEST_PACE) {
    const begunMs = performance.now();
    for (let at = 0; at < TIMES; at += 1) spawnSync(process.execPath, ['-e', WORK], { stdio: 'ignore' });
    process.env.TEST_PACE = Math.max(1, (performance.now() - begunMs) / REFERENCE_MS).toFixed(1);
  }
  return Number(process.env.TEST_PACE);
}
