import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync } from 'node:fs';
import { link, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { watchSyncs } from '../../../test/support/blobs/folder-syncs.ts';
import { createKeyShares, type KeyShareId, type LocalKeyShares } from './key-shares.ts';
import { NotOverwrittenError } from './secret-file.ts';

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return { ...real, readdir: vi.fn(real.readdir) };
});

let parent: string;
let dir: string;
let shares: LocalKeyShares;
let reported: unknown[];
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'satchel-keys-'));
  dir = join(parent, 'keys');
  reported = [];
  shares = createKeyShares({ dir, report: (error) => reported.push(error) });
});
afterEach(() => rm(parent, { recursive: true }));

/** A second link to the same bytes on the disk: it shows them after the file itself is deleted. */
async function bytesBehind(name: string): Promise<() => Promise<string>> {
  const second = join(parent, `second name of ${name}`);
  await link(pathOf(name), second);
  return () => readFile(second, 'utf8');
}

/** Path of the key share of that name. */
const pathOf = (name: string) => join(dir, name.slice(0, 3), name);
/** The names of all files in the tree. */
function namesSync(): string[] {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() || entry.isSymbolicLink()).map((entry) => entry.name);
}
const names = async () => namesSync();
/** Writes a file at the path of that key share. */
async function put(name: string, text: string): Promise<void> {
  await mkdir(dirname(pathOf(name)), { recursive: true });
  await writeFile(pathOf(name), text);
}

const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
const newId = (folder_id: string = randomUUID()): KeyShareId => ({ folder_id, share_id: randomUUID() });
const nameOf = ({ folder_id, share_id }: KeyShareId) => `${folder_id}.${share_id}`;

test('a key share can be read until it is deleted', async () => {
  const id = newId();
  expect([await shares.read(id), await shares.list()]).toEqual([null, []]);
  await shares.deleteAll(id.folder_id);
  await shares.write(id, 'the share');
  expect(await shares.read(id)).toBe('the share');
  await shares.delete(id);
  expect(await shares.read(id)).toBeNull();
  expect(await names()).toEqual([]);
  await shares.delete(id);
});

test('a key share is written once the directory is durable that another one has just made', async () => {
  const [first, second] = [newId(), newId()];
  await mkdir(dir);
  const syncs = await watchSyncs(dir);
  const order: string[] = [];
  const held = syncs.hold();
  const maker = shares.write(first, 'one');
  await held.begun;
  const other = shares.write({ ...second, folder_id: first.folder_id }, 'two').then(() => order.push('written'));
  const apart = {
    ...newId(),
    folder_id: `${first.folder_id.startsWith('0') ? '1' : '0'}${newId().folder_id.slice(1)}`,
  };
  await shares.write(apart, 'three');
  for (let times = 0; times < 20; times += 1) await shares.read(apart);
  order.push('named');
  held.release();
  await Promise.all([maker, other]);
  expect(order).toEqual(['named', 'written']);
  await shares.write(newId(first.folder_id), 'four');
  expect(syncs.count()).toBe(2);
});

test('a folder can have several key shares, which are deleted one by one or together', async () => {
  const first = newId();
  const [second, third, foreign] = [newId(first.folder_id), newId(first.folder_id), newId()];
  for (const id of [first, second, third, foreign]) await shares.write(id, nameOf(id));
  await shares.delete(first);
  expect(await shares.read(first)).toBeNull();
  expect(await shares.read(second)).toBe(nameOf(second));
  await put(`${nameOf(first)}.new`, 'half');
  await shares.deleteAll(first.folder_id);
  expect(await names()).toEqual([nameOf(foreign)]);
  await shares.deleteAll(first.folder_id);
});

test('a key share deleted during its write is stored whole, or its write fails', async () => {
  const folder_id = randomUUID();
  const ids = Array.from({ length: 20 }, () => newId(folder_id));
  const writing = Promise.allSettled(ids.map((id) => shares.write(id, 'the share')));
  await shares.deleteAll(folder_id);
  const written = await writing;
  for (const [index, id] of ids.entries()) {
    if ((await shares.read(id)) !== null) expect(written[index]?.status).toBe('fulfilled');
  }
  await shares.deleteAll(folder_id);
  expect(await names()).toEqual([]);
});

test('only the server’s own user may read key shares', async () => {
  const id = newId();
  await shares.write(id, 'the share');
  expect(await mode(dir)).toBe('700');
  expect(await mode(pathOf(nameOf(id)))).toBe('600');
});

test('a name that is no id is refused', async () => {
  const folder_id = randomUUID();
  await expect(shares.write({ folder_id: '../escape', share_id: folder_id }, 'x')).rejects.toThrow('Not a share’s id');
  await expect(shares.read({ folder_id, share_id: '../../etc/passwd' })).rejects.toThrow('Not a share’s id');
});

test('a half-written key share of a crash is listed, and deleted with the rest', async () => {
  const [whole, half] = [newId(), newId()];
  await shares.write(whole, 'the share');
  await put(`${nameOf(half)}.new`, 'the sh');
  await writeFile(join(dir, 'something else'), '');
  const hourAgo = new Date(Date.now() - 3_600_000);
  await utimes(pathOf(nameOf(whole)), hourAgo, hourAgo);
  const listed = new Map((await shares.list()).map(({ ageMs, ...id }) => [nameOf(id), ageMs]));
  expect([...listed.keys()].sort()).toEqual([nameOf(whole), nameOf(half)].sort());
  expect(listed.get(nameOf(whole))).toBeGreaterThan(3_500_000);
  expect(listed.get(nameOf(half))).toBeLessThan(3_500_000);
  await shares.delete(half);
  expect((await names()).sort()).toEqual([nameOf(whole), 'something else'].sort());
});

describe('the tree', () => {
  /** Folders that are listed while `act` runs. */
  async function listedDuring(act: () => Promise<unknown>): Promise<string[]> {
    vi.mocked(readdir).mockClear();
    await act();
    return vi.mocked(readdir).mock.calls.map(([folder]) => String(folder));
  }

  test('is not listed for a key share known by its id, and in one directory for the shares of a folder', async () => {
    const ids = Array.from({ length: 300 }, () => newId());
    for (const id of ids) await shares.write(id, 'the share');
    const [first, second] = ids as [KeyShareId, KeyShareId];
    const exact = async () => {
      await shares.read(first);
      await shares.write(newId(), 'the share');
      await shares.delete(first);
    };
    expect(await listedDuring(exact)).toEqual([]);
    expect(await listedDuring(() => shares.deleteAll(second.folder_id))).toEqual([
      join(dir, second.folder_id.slice(0, 3)),
    ]);
    expect(await shares.list()).toHaveLength(ids.length - 1);
  });

  test('is walked in parts, each after the one before, and then from the start again', async () => {
    const ids = Array.from({ length: 5 }, (_, index) => newId(`${index}${randomUUID().slice(1)}`));
    for (const id of ids) await shares.write(id, 'the share');
    const seen: string[] = [];
    for (let piece = 0; piece < 7; piece += 1) {
      for await (const part of shares.walk()) {
        seen.push(...part.map(({ folder_id }) => folder_id));
        break;
      }
    }
    const all = ids.map(({ folder_id }) => folder_id);
    expect(seen).toEqual([...all, ...all.slice(0, 2)]);
    const round: string[] = [];
    for await (const part of shares.walk()) round.push(...part.map(({ folder_id }) => folder_id));
    expect(round).toEqual([...all.slice(2), ...all.slice(0, 2)]);
  });
});

describe('the bytes on the disk', () => {
  test('of a deleted key share are zeros, in as many blocks as before', async () => {
    const id = newId();
    await shares.write(id, 'the share');
    const left = await bytesBehind(nameOf(id));
    const { length } = await left();
    await shares.delete(id);
    expect(await left()).toBe('\0'.repeat(length));
    expect(reported).toEqual([]);
  });

  test('are zeros when all key shares of a folder are deleted: whole, half-written and half-deleted ones', async () => {
    const id = newId();
    const other = newId();
    await shares.write(id, 'the share');
    await shares.write(other, 'another’s');
    const torn = [`${nameOf(newId(id.folder_id))}.new`, `${nameOf(newId(id.folder_id))}.gone`];
    for (const name of torn) await put(name, 'the share');
    const left = await Promise.all([nameOf(id), ...torn].map(bytesBehind));
    await shares.deleteAll(id.folder_id);
    for (const read of left) expect(await read()).toMatch(/^\0+$/);
    expect(await names()).toEqual([nameOf(other)]);
    expect(await shares.read(other)).toBe('another’s');
  });

  test('are zeros when a key share of the same name is written again, and for a half-written one', async () => {
    const id = newId();
    await shares.write(id, 'the share');
    await put(`${nameOf(id)}.new`, 'the sh');
    const left = await Promise.all([nameOf(id), `${nameOf(id)}.new`].map(bytesBehind));
    await shares.write(id, 'the share');
    for (const read of left) expect(await read()).toMatch(/^\0+$/);
    expect(await shares.read(id)).toBe('the share');
    expect(await names()).toEqual([nameOf(id)]);
  });

  test('are zeros for every key share deleted during its write', async () => {
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
      while (!isSettled && namesSync().length === 0) await turn();
      for (const name of namesSync()) linkSync(pathOf(name), join(seconds, name));
      await shares.deleteAll(id.folder_id);
      await writing;
      await shares.deleteAll(id.folder_id);
      expect(await names()).toEqual([]);
    }
    const caught = await readdir(seconds);
    expect(caught.length).toBeGreaterThan(0);
    for (const name of caught) expect(await readFile(join(seconds, name), 'utf8')).toMatch(/^\0*$/);
    expect(reported).toEqual([]);
  });

  test('are zeros for a key share whose write fails', async () => {
    await mkdir(dir);
    let id: KeyShareId;
    let isRefused = false;
    do {
      id = newId();
      const writing = shares.write(id, 'the share').catch(() => {
        isRefused = true;
      });
      while (namesSync().length === 0) await turn();
      try {
        linkSync(pathOf(`${nameOf(id)}.new`), join(parent, nameOf(id)));
        // A folder in the place of the file makes the rename fail.
        mkdirSync(pathOf(nameOf(id)));
      } catch {
        // The write was faster; the next round tries again.
      }
      await writing;
      await rm(pathOf(nameOf(id)), { recursive: true });
    } while (!isRefused);
    expect(await readFile(join(parent, nameOf(id)), 'utf8')).toMatch(/^\0+$/);
    expect(await names()).toEqual([]);
  });

  test('take up a whole block, which no file system stores in its inode or journal instead', async () => {
    const id = newId();
    await shares.write(id, 'x'.repeat(1024));
    expect((await stat(pathOf(nameOf(id)))).size).toBe(4096);
  });
});

test('a key share that can’t be overwritten is unlinked all the same, and reported without its id', async () => {
  const [elsewhere, whole] = [newId(), newId()];
  await shares.write(whole, 'the share');
  const target = join(parent, 'another’s file');
  await writeFile(target, 'another’s');
  // Opening a symbolic link for overwriting is refused.
  await mkdir(dirname(pathOf(nameOf(elsewhere))), { recursive: true });
  await symlink(target, pathOf(nameOf(elsewhere)));
  await shares.delete(elsewhere);
  expect(await names()).toEqual([nameOf(whole)]);
  expect(await readFile(target, 'utf8')).toBe('another’s');
  expect(reported).toEqual([expect.any(NotOverwrittenError)]);
  expect(String(reported[0])).not.toContain(elsewhere.folder_id);
});

test('a key share that can’t be unlinked is an error, and the others are deleted', async () => {
  const folder_id = randomUUID();
  const [stuck, other] = [newId(folder_id), newId(folder_id)];
  await mkdir(pathOf(nameOf(stuck)), { recursive: true });
  await shares.write(other, 'the share');
  await expect(shares.deleteAll(folder_id)).rejects.toThrow();
  expect(await shares.read(other)).toBeNull();
});

test('a read of a key share during its overwriting gets none', async () => {
  const id = newId();
  await mkdir(dir);
  await put(nameOf(id), '\0'.repeat(4096));
  expect(await shares.read(id)).toBeNull();
});
