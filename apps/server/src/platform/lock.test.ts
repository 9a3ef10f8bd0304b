import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LockError, lockDirectory } from './lock.ts';

/** Claims of this name are withdrawn as soon as somebody has read them. */
const WITHDRAWN = 'withdrawn.json';
vi.mock(import('node:fs'), async (original) => {
  const fs = await original();
  const readFileSync = (path: string, encoding: BufferEncoding) => {
    const text = fs.readFileSync(path, encoding);
    if (path.endsWith('withdrawn.json')) fs.unlinkSync(path);
    return text;
  };
  return { ...fs, readFileSync: readFileSync as typeof fs.readFileSync };
});

let dir: string;
const children = new Set<ReturnType<typeof spawn>>();
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'satchel-lock-'));
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await rm(dir, { recursive: true });
});

const claims = async () => (await readdir(join(dir, 'lock'))).filter((name) => name.endsWith('.json'));

/** Another process that locks `dir` and keeps it; resolves with what it said first: `held`, or why not. */
async function startHolder(): Promise<{ child: ReturnType<typeof spawn>; said: string }> {
  const program = `
    const { lockDirectory } = await import(${JSON.stringify(join(import.meta.dirname, 'lock.ts'))});
    await lockDirectory(${JSON.stringify(dir)}).then(() => console.log('held'), (error) => console.log(error.message));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  const [said] = await once(child.stdout!, 'data');
  return { child, said: String(said).trim() };
}

async function killOutright(child: ReturnType<typeof spawn>): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

test('a second claim is refused and names the process that has the first', async () => {
  const lock = await lockDirectory(dir);
  await expect(lockDirectory(dir)).rejects.toThrow(LockError);
  await expect(lockDirectory(dir)).rejects.toThrow(`process ${process.pid}`);
  expect(await claims()).toHaveLength(1);
  lock.release();
  expect(await claims()).toEqual([]);
  (await lockDirectory(dir)).release();
});

test('another process is refused, and gets the directory once it is released', async () => {
  const lock = await lockDirectory(dir);
  expect((await startHolder()).said).toContain(`process ${process.pid}`);
  lock.release();
  expect((await startHolder()).said).toBe('held');
});

test('the claim of a process that was killed outright is no obstacle', async () => {
  const { child, said } = await startHolder();
  expect(said).toBe('held');
  await expect(lockDirectory(dir)).rejects.toThrow(`process ${child.pid}`);
  await killOutright(child);
  expect(await claims()).toHaveLength(1);
  const lock = await lockDirectory(dir);
  expect(await claims()).toHaveLength(1);
  lock.release();
});

test('of many that start together at most one holds the directory', async () => {
  const started = await Promise.all([startHolder(), startHolder(), startHolder()]);
  expect(started.filter(({ said }) => said === 'held').length).toBeLessThanOrEqual(1);
  expect(await claims()).toHaveLength(started.filter(({ said }) => said === 'held').length);
});

test('claims that are withdrawn while they are looked at hide nobody’s behind them', async () => {
  const own = await lockDirectory(dir);
  const [name = ''] = await claims();
  const claim = await readFile(join(dir, 'lock', name), 'utf8');
  own.release();
  const { child } = await startHolder();
  // Wherever the holder's claim comes in the directory's order, most of these come before it.
  const others = Array.from({ length: 30 }, (_, at) => join(dir, 'lock', `${at}-${WITHDRAWN}`));
  await Promise.all(others.map((path) => writeFile(path, claim)));
  await expect(lockDirectory(dir)).rejects.toThrow('is using');
  expect(child.exitCode).toBeNull();
});

test('a process that was given the id of a dead holder is not taken for it', async () => {
  (await lockDirectory(dir)).release();
  const { child } = await startHolder();
  const [name = ''] = await claims();
  const claim = JSON.parse(await readFile(join(dir, 'lock', name), 'utf8'));
  await killOutright(child);
  await writeFile(join(dir, 'lock', name), JSON.stringify({ ...claim, pid: process.pid }));
  (await lockDirectory(dir)).release();
  expect(await claims()).toEqual([]);
});

test('a claim made where we cannot see processes counts as long as its heart beats', async () => {
  const heartbeatMs = 40;
  const lock = await lockDirectory(dir, heartbeatMs);
  const [name = ''] = await claims();
  const path = join(dir, 'lock', name);
  const claim = JSON.parse(await readFile(path, 'utf8'));
  await writeFile(path, JSON.stringify({ ...claim, pid: 1, machine: 'another container' }));
  await expect(lockDirectory(dir, heartbeatMs)).rejects.toThrow('process 1');
  lock.release();
  await writeFile(path, JSON.stringify({ ...claim, pid: 1, machine: 'another container' }));
  (await lockDirectory(dir, heartbeatMs)).release();
});

test('a damaged claim is nobody’s', async () => {
  (await lockDirectory(dir)).release();
  await writeFile(join(dir, 'lock', 'damaged.json'), '{"pid":');
  (await lockDirectory(dir)).release();
  expect(await claims()).toEqual([]);
});
