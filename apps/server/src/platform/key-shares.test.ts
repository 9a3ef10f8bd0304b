import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync } from 'node:fs';
import { link, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createKeyShares, type KeptShares, type ShareId } from './key-shares.ts';
import { NotOverwrittenError } from './secret-file.ts';

let parent: string;
let dir: string;
let shares: KeptShares;
let reported: unknown[];
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'satchel-keys-'));
  dir = join(parent, 'keys');
  reported = [];
  shares = createKeyShares({ dir, report: (error) => reported.push(error) });
});
afterEach(() => rm(parent, { recursive: true }));

/** A second name for the same bytes on the disk: it shows what is left of them once the file itself is gone. */
async function bytesBehind(name: string): Promise<() => Promise<string>> {
  const second = join(parent, `second name of ${name}`);
  await link(join(dir, name), second);
  return () => readFile(second, 'utf8');
}

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

describe('the bytes on the disk', () => {
  test('of an erased share are zeros, in as many blocks as before', async () => {
    const id = newId();
    await shares.write(id, 'the share');
    const left = await bytesBehind(nameOf(id));
    const { length } = await left();
    await shares.erase(id);
    expect(await left()).toBe('\0'.repeat(length));
    expect(reported).toEqual([]);
  });

  test('are zeros, too, when a folder loses all its shares, whole, half-written, half-deleted and of old', async () => {
    const id = newId();
    const other = newId();
    await shares.write(id, 'the share');
    await shares.write(other, 'another’s');
    const old = [id.folder_id, `${nameOf(newId(id.folder_id))}.new`, `${nameOf(newId(id.folder_id))}.gone`];
    for (const name of old) await writeFile(join(dir, name), 'the share');
    const left = await Promise.all([nameOf(id), ...old].map(bytesBehind));
    await shares.eraseAll(id.folder_id);
    for (const read of left) expect(await read()).toMatch(/^\0+$/);
    expect(await readdir(dir)).toEqual([nameOf(other)]);
    expect(await shares.read(other)).toBe('another’s');
  });

  test('are zeros where a share of the same name is written again, and where a crash left half of one', async () => {
    const id = newId();
    await shares.write(id, 'the share');
    await writeFile(join(dir, `${nameOf(id)}.new`), 'the sh');
    const left = await Promise.all([nameOf(id), `${nameOf(id)}.new`].map(bytesBehind));
    await shares.write(id, 'the share');
    for (const read of left) expect(await read()).toMatch(/^\0+$/);
    expect(await shares.read(id)).toBe('the share');
    expect(await readdir(dir)).toEqual([nameOf(id)]);
  });

  test('are zeros of every share that was erased while it was written', async () => {
    const seconds = join(parent, 'seconds');
    await mkdir(seconds);
    await mkdir(dir);
    let refused = 0;
    for (let round = 0; round < 20 || refused === 0; round++) {
      const id = newId();
      const writing = shares.write(id, 'the share').catch(() => refused++);
      let isSettled = false;
      void writing.then(() => {
        isSettled = true;
      });
      while (!isSettled && readdirSync(dir).length === 0) await turn();
      for (const name of readdirSync(dir)) linkSync(join(dir, name), join(seconds, name));
      await shares.eraseAll(id.folder_id);
      await writing;
      await shares.eraseAll(id.folder_id);
      expect(await readdir(dir)).toEqual([]);
    }
    const caught = await readdir(seconds);
    expect(caught.length).toBeGreaterThan(0);
    for (const name of caught) expect(await readFile(join(seconds, name), 'utf8')).toMatch(/^\0*$/);
    expect(reported).toEqual([]);
  });

  test('are zeros of a share whose writing fails', async () => {
    await mkdir(dir);
    let id: ShareId;
    let isRefused = false;
    do {
      id = newId();
      const writing = shares.write(id, 'the share').catch(() => {
        isRefused = true;
      });
      while (readdirSync(dir).length === 0) await turn();
      try {
        linkSync(join(dir, `${nameOf(id)}.new`), join(parent, nameOf(id)));
        // No file can take the place of a folder.
        mkdirSync(join(dir, nameOf(id)));
      } catch {
        // It was written before; the next one is waited for.
      }
      await writing;
      await rm(join(dir, nameOf(id)), { recursive: true });
    } while (!isRefused);
    expect(await readFile(join(parent, nameOf(id)), 'utf8')).toMatch(/^\0+$/);
    expect(await readdir(dir)).toEqual([]);
  });

  test('take up a whole block, which no file system keeps in its inode or journal instead', async () => {
    const id = newId();
    await shares.write(id, 'x'.repeat(1024));
    expect((await stat(join(dir, nameOf(id)))).size).toBe(4096);
  });
});

test('a share that can’t be overwritten is unlinked all the same, and reported without a word of what it was', async () => {
  const [elsewhere, whole] = [newId(), newId()];
  await shares.write(whole, 'the share');
  const target = join(parent, 'another’s file');
  await writeFile(target, 'another’s');
  // Opening it for overwriting is refused: what a link points to is not ours.
  await symlink(target, join(dir, nameOf(elsewhere)));
  await shares.erase(elsewhere);
  expect(await readdir(dir)).toEqual([nameOf(whole)]);
  expect(await readFile(target, 'utf8')).toBe('another’s');
  expect(reported).toEqual([expect.any(NotOverwrittenError)]);
  expect(String(reported[0])).not.toContain(elsewhere.folder_id);
});

test('one share that can’t be unlinked keeps no other one, and is told of', async () => {
  const folder_id = randomUUID();
  const [stuck, other] = [newId(folder_id), newId(folder_id)];
  await mkdir(join(dir, nameOf(stuck)), { recursive: true });
  await shares.write(other, 'the share');
  await expect(shares.eraseAll(folder_id)).rejects.toThrow();
  expect(await shares.read(other)).toBeNull();
});

test('who reads a share while it is overwritten gets none', async () => {
  const id = newId();
  await mkdir(dir);
  await writeFile(join(dir, nameOf(id)), '\0'.repeat(4096));
  expect(await shares.read(id)).toBeNull();
});
