import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { namesOfDifferences } from './differences.mjs';
import { writeArchive } from './tar.mjs';

const LONG = `${'folder/'.repeat(20)}file.txt`;
let folder;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'satchel-differences-'));
  for (const name of ['one', 'other']) mkdirSync(join(folder, name));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const compared = () => namesOfDifferences(join(folder, 'one'), join(folder, 'other'));
const write = (name, text) => writeFileSync(join(folder, name), text);
const pack = (name, files, timeSeconds = 1_700_000_000) => {
  const entries = Object.entries(files).map(([path, data]) => ({ path, data }));
  return writeArchive(join(folder, name), { entries, folder: 'satchel', timeSeconds });
};

describe('the comparison of two builds', () => {
  it('finds nothing in equal ones', async () => {
    for (const name of ['one', 'other']) {
      write(`${name}/SHA256SUMS`, 'sums');
      await pack(`${name}/a.tar.gz`, { 'main.js': 'x'.repeat(513), [LONG]: '' });
    }
    expect(compared()).toEqual([]);
  });

  it('names a file that differs, one that is in one build alone, and the entries of an archive that do', async () => {
    write('one/SHA256SUMS', 'sums');
    write('other/SHA256SUMS', 'sum');
    write('other/left-over', '');
    await pack('one/a.tar.gz', { 'a.txt': 'a', 'main.js': 'x'.repeat(513), [LONG]: 'a' });
    await pack('other/a.tar.gz', { 'a.txt': 'a', 'main.js': 'y'.repeat(513), [LONG]: 'b', more: '' });
    expect(compared()).toEqual([
      'SHA256SUMS',
      `a.tar.gz: satchel/${LONG}`,
      'a.tar.gz: satchel/main.js',
      'a.tar.gz: satchel/more',
      'left-over, which only one of them has',
    ]);
  });

  it('names an entry whose time differs, and an archive whose entries are equal', async () => {
    await pack('one/b.tar.gz', { a: 'x' }, 1);
    await pack('other/b.tar.gz', { a: 'x' }, 2);
    expect(compared()).toEqual(['b.tar.gz: satchel/a']);
    for (const name of ['one', 'other']) await pack(`${name}/b.tar.gz`, { a: 'x' });
    const bytes = readFileSync(join(folder, 'other/b.tar.gz'));
    bytes[9] = 3;
    writeFileSync(join(folder, 'other/b.tar.gz'), bytes);
    expect(compared()).toEqual(['b.tar.gz, in its packing alone']);
  });
});
