import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKeyShares, type KeyShares } from './key-shares.ts';

let parent: string;
let dir: string;
let shares: KeyShares;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'satchel-keys-'));
  dir = join(parent, 'keys');
  shares = createKeyShares({ dir });
});
afterEach(() => rm(parent, { recursive: true }));

const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

test('a share is read back until it is erased', async () => {
  const id = randomUUID();
  expect(await shares.read(id)).toBeNull();
  await shares.write(id, 'the share');
  expect(await shares.read(id)).toBe('the share');
  await shares.erase(id);
  expect(await shares.read(id)).toBeNull();
  expect(await readdir(dir)).toEqual([]);
  await shares.erase(id);
});

test('only the server’s own user may read shares', async () => {
  const id = randomUUID();
  await shares.write(id, 'the share');
  expect(await mode(dir)).toBe('700');
  expect(await mode(join(dir, id))).toBe('600');
});

test('a name that is no folder id leads nowhere', async () => {
  await expect(shares.write('../escape', 'x')).rejects.toThrow('Not a folder id');
  await expect(shares.read('../../etc/passwd')).rejects.toThrow('Not a folder id');
});

test('what a crash left half-written is listed and erased with the rest', async () => {
  const [whole, half] = [randomUUID(), randomUUID()];
  await shares.write(whole, 'the share');
  await writeFile(join(dir, `${half}.new`), 'the sh');
  const hourAgo = new Date(Date.now() - 3_600_000);
  await utimes(join(dir, whole), hourAgo, hourAgo);
  const listed = new Map((await shares.list()).map(({ folder_id, ageMs }) => [folder_id, ageMs]));
  expect([...listed.keys()].sort()).toEqual([whole, half].sort());
  expect(listed.get(whole)).toBeGreaterThan(3_500_000);
  expect(listed.get(half)).toBeLessThan(3_500_000);
  await shares.erase(half);
  expect(await readdir(dir)).toEqual([whole]);
});
