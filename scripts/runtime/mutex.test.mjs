import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withLock } from './mutex.mjs';

const MUTEX = new URL('./mutex.mjs', import.meta.url).href;
let folder;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'satchel-mutex-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const inOtherProcess = (body) => [
  '--input-type=module',
  '-e',
  `import { readFileSync, writeFileSync } from 'node:fs';
   import { spawn } from 'node:child_process';
   import { withLock } from '${MUTEX}';
   const [folder] = process.argv.slice(1); ${body}`,
  folder,
];

describe('the lock between launchers', () => {
  it('lets one process at a time in, in any order of arrival', async () => {
    const counter = join(folder, 'counter');
    writeFileSync(counter, '0');
    const addOne = `await withLock(folder, 'x', async () => {
      const before = Number(readFileSync(folder + '/counter', 'utf8'));
      await new Promise((resolve) => setTimeout(resolve, 10));
      writeFileSync(folder + '/counter', String(before + 1));
    });`;
    const children = Array.from({ length: 5 }, () =>
      spawn(process.execPath, inOtherProcess(addOne), { stdio: 'inherit' }),
    );
    const codes = await Promise.all(children.map((child) => once(child, 'exit').then(([code]) => code)));
    expect(codes).toEqual([0, 0, 0, 0, 0]);
    expect(readFileSync(counter, 'utf8')).toBe('5');
    expect(existsSync(join(folder, 'x.lock'))).toBe(false);
  });

  it('takes over from a holder that was killed', async () => {
    const hold = `await withLock(folder, 'x', () => process.kill(process.pid, 'SIGKILL'));`;
    expect(spawnSync(process.execPath, inOtherProcess(hold)).signal).toBe('SIGKILL');
    expect(existsSync(join(folder, 'x.lock'))).toBe(true);
    let waited = false;
    const answer = await withLock(
      folder,
      'x',
      async () => 'in',
      () => {
        waited = true;
      },
    );
    expect(answer).toBe('in');
    expect(waited).toBe(false);
  });

  it('waits for what a killed holder had started', async () => {
    const hold = `await withLock(folder, 'x', (alsoHeldBy) => {
      const left = spawn('sleep', ['1'], { detached: true, stdio: 'ignore' });
      alsoHeldBy(left.pid);
      process.kill(process.pid, 'SIGKILL');
    });`;
    spawnSync(process.execPath, inOtherProcess(hold));
    let waited = false;
    await withLock(
      folder,
      'x',
      async () => {},
      () => {
        waited = true;
      },
    );
    expect(waited).toBe(true);
  });

  it('is released after a task that failed, and after one that ended its process', async () => {
    const failing = withLock(folder, 'x', async () => {
      throw new Error('no network');
    });
    await expect(failing).rejects.toThrow('no network');
    expect(existsSync(join(folder, 'x.lock'))).toBe(false);
    spawnSync(process.execPath, inOtherProcess(`await withLock(folder, 'x', () => process.exit(1));`));
    expect(existsSync(join(folder, 'x.lock'))).toBe(false);
  });
});
