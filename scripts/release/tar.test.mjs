import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { blocksOf, writeArchive } from './tar.mjs';

const OPTIONS = { folder: 'satchel-1.0.0', timeSeconds: 1_700_000_000 };
const LONG = `${'folder/'.repeat(20)}file.txt`;
let folder;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'satchel-tar-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const tar = (...args) =>
  execFileSync('tar', args, { cwd: folder, encoding: 'utf8', env: { ...process.env, TZ: 'UTC' } });

describe('the archive of a release', () => {
  it('is unpacked by tar as it was packed, long paths and links too', async () => {
    writeFileSync(join(folder, 'from'), 'of a file');
    const entries = [
      { path: 'b.sh', from: join(folder, 'from'), isExecutable: true },
      { path: 'a.txt', data: 'a'.repeat(513) },
      { path: 'link', link: 'a.txt' },
      { path: LONG, data: '' },
    ];
    await writeArchive(join(folder, 'x.tar.gz'), { entries, ...OPTIONS });
    expect(tar('--list', '--verbose', '--numeric-owner', '--file', 'x.tar.gz').replace(/ +/g, ' ').split('\n')).toEqual(
      [
        '-rw-r--r-- 0/0 513 2023-11-14 22:13 satchel-1.0.0/a.txt',
        '-rwxr-xr-x 0/0 9 2023-11-14 22:13 satchel-1.0.0/b.sh',
        `-rw-r--r-- 0/0 0 2023-11-14 22:13 satchel-1.0.0/${LONG}`,
        'lrwxrwxrwx 0/0 0 2023-11-14 22:13 satchel-1.0.0/link -> a.txt'.replace('lrwxrwxrwx', 'lrwxr-xr-x'),
        '',
      ],
    );
    tar('--extract', '--file', 'x.tar.gz');
    expect(readFileSync(join(folder, 'satchel-1.0.0/link'), 'utf8')).toBe('a'.repeat(513));
  });

  it('has the same bytes whatever the order of its entries, and names neither time nor system of the packing', async () => {
    const entries = [
      { path: 'a', data: 'a' },
      { path: 'b', data: 'b' },
    ];
    await writeArchive(join(folder, '1.gz'), { entries, ...OPTIONS });
    await writeArchive(join(folder, '2.gz'), { entries: entries.toReversed(), ...OPTIONS });
    const bytes = readFileSync(join(folder, '1.gz'));
    expect(bytes.equals(readFileSync(join(folder, '2.gz')))).toBe(true);
    expect([...bytes.subarray(4, 8), bytes[9]]).toEqual([0, 0, 0, 0, 255]);
  });

  it('refuses a path that has no room', () => {
    const entries = [{ path: 'x'.repeat(101), data: '' }];
    expect(() => [...blocksOf(entries, OPTIONS)]).toThrow('too long');
  });
});
