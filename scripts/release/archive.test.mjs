import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeArchive } from './archive.mjs';

const LONG = `${'folder/'.repeat(20)}file.txt`;
let folder;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'satchel-archive-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const pack = (name, entries) =>
  writeArchive(join(folder, name), {
    entries,
    folder: 'satchel-1.0.0',
    timeSeconds: 1_700_000_000,
    work: join(folder, `work-of-${name}`),
  });
const tar = (...args) =>
  execFileSync('tar', args, { cwd: folder, encoding: 'utf8', env: { ...process.env, TZ: 'UTC' } });

describe('the archive of a release', () => {
  it('is unpacked as it was packed, with long paths and links, and belongs to nobody', async () => {
    writeFileSync(join(folder, 'from'), 'of a file', { mode: 0o600 });
    await pack('x.tar.gz', [
      { path: 'b.sh', from: join(folder, 'from'), isExecutable: true },
      { path: 'a.txt', data: 'a'.repeat(513) },
      { path: 'link', link: 'a.txt' },
      { path: LONG, data: '' },
    ]);
    const listed = tar('--list', '--verbose', '--numeric-owner', '--file', 'x.tar.gz').replace(/ +/g, ' ').split('\n');
    expect(listed.filter((line) => line !== '' && !line.endsWith('/'))).toEqual([
      '-rw-r--r-- 0/0 513 2023-11-14 22:13 satchel-1.0.0/a.txt',
      '-rwxr-xr-x 0/0 9 2023-11-14 22:13 satchel-1.0.0/b.sh',
      `-rw-r--r-- 0/0 0 2023-11-14 22:13 satchel-1.0.0/${LONG}`,
      expect.stringMatching(/^lrwxr.xr.x 0\/0 0 2023-11-14 22:13 satchel-1\.0\.0\/link -> a\.txt$/),
    ]);
    expect(listed.filter((line) => line.endsWith('/'))[0]).toBe('drwxr-xr-x 0/0 0 2023-11-14 22:13 satchel-1.0.0/');
    tar('--extract', '--file', 'x.tar.gz');
    expect(readFileSync(join(folder, 'satchel-1.0.0/link'), 'utf8')).toBe('a'.repeat(513));
  });

  it('has the same bytes in another order of its entries and with another mask of modes', async () => {
    const entries = [
      { path: 'a', data: 'a' },
      { path: 'folder/b', data: 'b' },
    ];
    await pack('1.gz', entries);
    const mask = process.umask(0o077);
    try {
      await pack('2.gz', entries.toReversed());
    } finally {
      process.umask(mask);
    }
    expect(readFileSync(join(folder, '1.gz')).equals(readFileSync(join(folder, '2.gz')))).toBe(true);
  });
});
