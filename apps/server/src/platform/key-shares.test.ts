import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKeyShares, type KeptShares, type ShareId } from './key-shares.ts';

let parent: string;
let dir: string;
let shares: KeptShares;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'satchel-keys-'));
  dir = join(parent, 'keys');
  shares = createKeyShares({ dir });
});
afterEach(() => rm(parent, { recursive: true }));

const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
const newId = (folder_id: string = randomUUID()): ShareId => ({ folder_id, share_id: randomUUID() });
const nameOf = ({ folder_id, share_id }: ShareId) => `${folder_id}.${share_id}`;

test('a share is read back until it is erased', async () => {
  const id = newId();
  expect(await shares.read(id)).toBeNull();
  await shares.write(id, 'the share');
  expect(await shares.read(id)).toBe('the share');
  await shares.erase(id);
  expect(await shares.read(id)).toBeNull();
  expect(await readdir(dir)).toEqual([]);
  await shares.erase(id);
});

test('a folder has several shares while its link is replaced, and loses one or all', async () => {
  const first = newId();
  const [second, third, foreign] = [newId(first.folder_id), newId(first.folder_id), newId()];
  for (const id of [first, second, third, foreign]) await shares.write(id, nameOf(id));
  await shares.erase(first);
  expect(await shares.read(first)).toBeNull();
  expect(await shares.read(second)).toBe(nameOf(second));
  await writeFile(join(dir, `${nameOf(first)}.new`), 'half');
  await shares.eraseAll(first.folder_id);
  expect(await readdir(dir)).toEqual([nameOf(foreign)]);
  await shares.eraseAll(first.folder_id);
});

test('a share that is erased while it is written is either there whole, or its writer knows that it is not', async () => {
  const folder_id = randomUUID();
  const ids = Array.from({ length: 20 }, () => newId(folder_id));
  const writing = Promise.allSettled(ids.map((id) => shares.write(id, 'the share')));
  await shares.eraseAll(folder_id);
  const written = await writing;
  for (const [index, id] of ids.entries()) {
    if ((await shares.read(id)) !== null) expect(written[index]?.status).toBe('fulfilled');
  }
  await shares.eraseAll(folder_id);
  expect(await readdir(dir)).toEqual([]);
});

test('without a folder of shares there is nothing to read, to list and to erase', async () => {
  const id = newId();
  expect(await shares.read(id)).toBeNull();
  expect(await shares.list()).toEqual([]);
  await shares.erase(id);
  await shares.eraseAll(id.folder_id);
});

test('a share of the time when it had the folder’s name is still found, and erased with the rest', async () => {
  const folder_id = randomUUID();
  await shares.write(newId(), 'another’s');
  await writeFile(join(dir, folder_id), 'the old share');
  const old = { folder_id, share_id: folder_id };
  expect(await shares.read(old)).toBe('the old share');
  expect(await shares.list()).toContainEqual({ ...old, ageMs: expect.any(Number) });
  await shares.eraseAll(folder_id);
  expect(await shares.read(old)).toBeNull();
  expect(await readdir(dir)).toHaveLength(1);
});

test('only the server’s own user may read shares', async () => {
  const id = newId();
  await shares.write(id, 'the share');
  expect(await mode(dir)).toBe('700');
  expect(await mode(join(dir, nameOf(id)))).toBe('600');
});

test('a name that is no id leads nowhere', async () => {
  const folder_id = randomUUID();
  await expect(shares.write({ folder_id: '../escape', share_id: folder_id }, 'x')).rejects.toThrow('Not a share’s id');
  await expect(shares.read({ folder_id, share_id: '../../etc/passwd' })).rejects.toThrow('Not a share’s id');
});

test('what a crash left half-written is listed and erased with the rest', async () => {
  const [whole, half] = [newId(), newId()];
  await shares.write(whole, 'the share');
  await writeFile(join(dir, `${nameOf(half)}.new`), 'the sh');
  await writeFile(join(dir, 'something else'), '');
  const hourAgo = new Date(Date.now() - 3_600_000);
  await utimes(join(dir, nameOf(whole)), hourAgo, hourAgo);
  const listed = new Map((await shares.list()).map(({ ageMs, ...id }) => [nameOf(id), ageMs]));
  expect([...listed.keys()].sort()).toEqual([nameOf(whole), nameOf(half)].sort());
  expect(listed.get(nameOf(whole))).toBeGreaterThan(3_500_000);
  expect(listed.get(nameOf(half))).toBeLessThan(3_500_000);
  await shares.erase(half);
  expect((await readdir(dir)).sort()).toEqual([nameOf(whole), 'something else'].sort());
});
