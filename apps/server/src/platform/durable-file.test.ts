import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolders } from './durable-file.ts';

async function newFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'satchel-folders-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  return dir;
}

test('folders below one that is missing are made by as many as ask at once', async () => {
  const base = await newFolder();
  for (let round = 0; round < 50; round += 1) {
    const leaves = Array.from({ length: 40 }, (_, index) => join(base, String(round), 'a', String(index % 20)));
    const made = await Promise.all(leaves.map(makeFolders));
    for (const leaf of leaves) expect((await stat(leaf)).mode & 0o777).toBe(0o700);
    expect(made.filter((topmost) => topmost === join(base, String(round)))).toHaveLength(1);
  }
});

test('the topmost folder that was made is told, and nothing of one that was there', async () => {
  const base = await newFolder();
  expect(await makeFolders(join(base, 'a', 'b', 'c'))).toBe(join(base, 'a'));
  expect(await makeFolders(join(base, 'a', 'b', 'd'))).toBe(join(base, 'a', 'b', 'd'));
  expect(await makeFolders(join(base, 'a', 'b', 'c'))).toBeUndefined();
});

test.runIf(process.platform === 'linux')(
  'a folder that the system never makes is refused with its reason',
  async () => {
    await expect(makeFolders('/proc/nope/deeper')).rejects.toMatchObject({ code: 'ENOENT' });
  },
);
