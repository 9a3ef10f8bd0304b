import { link, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createVisitorSalts } from './visitor-salts.ts';

const EVENING = Date.parse('2026-11-21T23:59:00Z');
const MORNING = Date.parse('2026-11-22T00:01:00Z');
const STRANGER = { address: '203.0.113.9', userAgent: 'Some Browser/1.0' };

const report = (error: unknown) => {
  throw error;
};

let parent: string;
let dir: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'satchel-salts-'));
  dir = join(parent, 'visitor-salts');
});
afterEach(() => rm(parent, { recursive: true }));

describe('a stranger', () => {
  test('has one pseudonym in a folder for the day, also after a restart', async () => {
    const now = () => EVENING;
    const salts = createVisitorSalts({ dir, report, now });
    const all = await Promise.all([salts.pseudonymOf('a', STRANGER), salts.pseudonymOf('a', STRANGER)]);
    all.push(await createVisitorSalts({ dir, report, now }).pseudonymOf('a', STRANGER));
    expect(new Set(all).size).toBe(1);
    expect(all[0]).toMatch(/^[\w-]{22}$/);
  });

  test('has another one in another folder, with another browser, from another address and on another day', async () => {
    let nowMs = EVENING;
    const salts = createVisitorSalts({ dir, report, now: () => nowMs });
    const pseudonyms = new Set([
      await salts.pseudonymOf('a', STRANGER),
      await salts.pseudonymOf('b', STRANGER),
      await salts.pseudonymOf('a', { ...STRANGER, userAgent: 'Another/2.0' }),
      await salts.pseudonymOf('a', { ...STRANGER, address: '203.0.113.10' }),
    ]);
    nowMs = MORNING;
    pseudonyms.add(await salts.pseudonymOf('a', STRANGER));
    expect(pseudonyms.size).toBe(5);
  });
});

describe('the salt of a day', () => {
  test('is readable by this user only, and purged once the day is over', async () => {
    let nowMs = EVENING;
    const salts = createVisitorSalts({ dir, report, now: () => nowMs });
    await salts.pseudonymOf('a', STRANGER);
    expect(await readdir(dir)).toEqual(['2026-11-21']);
    expect((await stat(join(dir, '2026-11-21'))).mode & 0o777).toBe(0o600);
    await salts.purgePast();
    expect(await readdir(dir)).toEqual(['2026-11-21']);
    nowMs = MORNING;
    await salts.purgePast();
    expect(await readdir(dir)).toEqual([]);
  });

  test('leaves no bytes on the disk after a purge, not even the bytes of a crash', async () => {
    let nowMs = EVENING;
    const salts = createVisitorSalts({ dir, report, now: () => nowMs });
    await salts.pseudonymOf('a', STRANGER);
    await writeFile(join(dir, '2026-11-20.gone'), 'the salt');
    const names = await readdir(dir);
    for (const name of names) await link(join(dir, name), join(parent, name));
    nowMs = MORNING;
    await salts.purgePast();
    expect(await readdir(dir)).toEqual([]);
    for (const name of names) expect(await readFile(join(parent, name), 'utf8')).toMatch(/^\0+$/);
  });

  test('is purged with the first visitor of the next day', async () => {
    let nowMs = EVENING;
    const salts = createVisitorSalts({ dir, report, now: () => nowMs });
    await salts.pseudonymOf('a', STRANGER);
    nowMs = MORNING;
    await salts.pseudonymOf('a', STRANGER);
    expect(await readdir(dir)).toEqual(['2026-11-22']);
  });

  test('that a crash cut short is made again; a purge without any salt does nothing', async () => {
    const salts = createVisitorSalts({ dir, report, now: () => EVENING });
    await expect(salts.purgePast()).resolves.toBeUndefined();
    const before = await salts.pseudonymOf('a', STRANGER);
    await writeFile(join(dir, '2026-11-21'), 'cut');
    const after = await createVisitorSalts({ dir, report, now: () => EVENING }).pseudonymOf('a', STRANGER);
    expect(after).not.toBe(before);
    expect((await readFile(join(dir, '2026-11-21'), 'utf8')).length).toBe(43);
  });

  test('that can’t be stored refuses the visitor, and the next visitor tries again', async () => {
    await writeFile(dir, 'a file where the folder should be');
    const salts = createVisitorSalts({ dir, report, now: () => EVENING });
    await expect(salts.pseudonymOf('a', STRANGER)).rejects.toThrow();
    await rm(dir);
    expect(await salts.pseudonymOf('a', STRANGER)).toMatch(/^[\w-]{22}$/);
  });
});
