import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keptSecret } from './kept-secret.ts';

let parent: string;
let dir: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'satchel-secret-'));
  dir = join(parent, 'secrets');
});
afterEach(() => rm(parent, { recursive: true }));

test('a configured secret is used unchanged, and nothing is written', async () => {
  expect((await keptSecret({ setting: 'a secret', dir, name: 'a-secret' })).toString()).toBe('a secret');
  await expect(stat(dir)).rejects.toThrow('ENOENT');
});

test('a secret is made once, stored in a file that only this user reads, and survives a restart', async () => {
  const made = await keptSecret({ setting: null, dir, name: 'a-secret' });
  expect(Buffer.from(made.toString(), 'base64url')).toHaveLength(32);
  expect(await keptSecret({ setting: null, dir, name: 'a-secret' })).toEqual(made);
  const path = join(dir, 'a-secret');
  expect(((await stat(path)).mode & 0o777).toString(8)).toBe('600');
  // The text of the file is the same secret as a setting: it opens what was sealed with it.
  const setting = (await readFile(path, 'utf8')).trim();
  expect(await keptSecret({ setting, dir, name: 'a-secret' })).toEqual(made);
});

test('a file cut short by a crash is replaced', async () => {
  await keptSecret({ setting: null, dir, name: 'a-secret' });
  await writeFile(join(dir, 'a-secret'), 'abc');
  expect(await keptSecret({ setting: null, dir, name: 'a-secret' })).toHaveLength(43);
});

test('secrets of different names are different', async () => {
  const [one, other] = await Promise.all(['one', 'other'].map((name) => keptSecret({ setting: null, dir, name })));
  expect(one).not.toEqual(other);
});
