import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sessionSecret } from './session-secret.ts';

let parent: string;
let dir: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'satchel-secret-'));
  dir = join(parent, 'secrets');
});
afterEach(() => rm(parent, { recursive: true }));

test('a secret that is set is taken as it is, and nothing is written', async () => {
  expect((await sessionSecret({ setting: 'a secret', dir })).toString()).toBe('a secret');
  await expect(stat(dir)).rejects.toThrow('ENOENT');
});

test('a secret is made once, kept in a file of this user alone, and outlives a restart', async () => {
  const made = await sessionSecret({ setting: null, dir });
  expect(made).toHaveLength(32);
  expect(await sessionSecret({ setting: null, dir })).toEqual(made);
  const path = join(dir, 'session-secret');
  expect(((await stat(path)).mode & 0o777).toString(8)).toBe('600');
  expect(await readFile(path, 'utf8')).toBe(`${made.toString('base64url')}\n`);
});

test('a file that a crash cut short is replaced', async () => {
  await sessionSecret({ setting: null, dir });
  await writeFile(join(dir, 'session-secret'), 'abc');
  expect(await sessionSecret({ setting: null, dir })).toHaveLength(32);
});
