import { appendFile, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesOf, joined } from '@satchel/client/send/metadata/byte-reader';
import { stripMetadata } from '@satchel/client/send/metadata/strip-metadata';
import { box, SECRET, uint } from '@satchel/client/send/metadata/test-pictures';
import { createByteReader } from '@satchel/container/read';
import { GIB } from '@satchel/contract/limits';
import { afterAll, describe, expect, test } from 'vitest';
import { choosePaths } from './chosen.ts';

const folder = await mkdtemp(join(tmpdir(), 'satchel-disk-file-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A sparse file: only what is written takes space on the disk. */
async function makeSparse(name: string, sizeBytes: number, written: Readonly<Record<number, Uint8Array | string>>) {
  const path = join(folder, name);
  const file = await open(path, 'w');
  await file.truncate(sizeBytes);
  for (const [at, part] of Object.entries(written)) await file.write(Buffer.from(part), 0, undefined, Number(at));
  await file.close();
  return path;
}

async function choose(path: string): Promise<File> {
  const { files, skipped } = await choosePaths([path]);
  expect(skipped).toEqual([]);
  return files[0]!.file;
}

describe('a file of 5 GiB', async () => {
  const marks = { 0: 'first', [2 * GIB - 2]: 'second', [4 * GIB - 2]: 'third', [5 * GIB - 4]: 'last' };
  const file = await choose(await makeSparse('large', 5 * GIB, marks));

  test('has all of its bytes, in slices of slices and across what 32 bits can count', async () => {
    expect(file.size).toBe(5 * GIB);
    expect(await file.slice(0, 5).text()).toBe('first');
    expect(await file.slice(2 * GIB - 2, 2 * GIB + 4).text()).toBe('second');
    expect(
      await file
        .slice(3 * GIB)
        .slice(GIB - 2, GIB + 3)
        .text(),
    ).toBe('third');
    expect(await file.slice(-4).text()).toBe('last');
    expect(file.slice(3 * GIB, -4).size).toBe(2 * GIB - 4);
  });

  test('can be read from any place to its end', async () => {
    const reader = createByteReader(file.slice(5 * GIB - 10).stream());
    expect(Buffer.from(await reader.read(100)).toString('latin1')).toBe(`${'\0'.repeat(6)}last`);
    expect(await reader.read(100)).toHaveLength(0);
    await reader.close();
  });

  test('gives its bytes to a file that is made of its parts and of new bytes', async () => {
    const Made = file.constructor as typeof File;
    const parts = [file.slice(4 * GIB - 2, 4 * GIB + 3), new Uint8Array([45]), new Blob(['new ']), file.slice(-4)];
    const made = new Made([...parts, ', words'], 'made.txt', { type: 'text/plain', lastModified: 5 });
    expect([made.name, made.type, made.lastModified, made.size]).toEqual(['made.txt', 'text/plain', 5, 21]);
    expect(await made.text()).toBe('third-new last, words');
    expect(await new Response(made.stream()).text()).toBe('third-new last, words');
    expect(await made.slice(3, 13).text()).toBe('rd-new las');
  });
});

test('a film of 5 GiB loses its metadata and keeps all other bytes', async () => {
  const movie = joined(box('moov', box('mvhd', new Uint8Array(100))), box('uuid', bytesOf(SECRET)));
  const kind = box('ftyp', bytesOf('isom'), new Uint8Array(4));
  const endsAt = 5 * GIB - movie.length;
  const frames = joined(uint(1, 4), bytesOf('mdat'), uint(0, 3), uint(endsAt - kind.length, 5));
  const parts = { 0: joined(kind, frames), [4 * GIB - 2]: 'frame', [endsAt]: movie };
  const { file, stripping } = await stripMetadata(await choose(await makeSparse('film.mp4', 5 * GIB, parts)));
  expect([stripping, file.name, file.size]).toEqual(['stripped', 'film.mp4', 5 * GIB]);
  expect(await file.slice(4 * GIB - 2, 4 * GIB + 3).text()).toBe('frame');
  const end = await file.slice(endsAt).text();
  expect(end).toContain('mvhd');
  expect(end).not.toContain(SECRET);
});

test.each([
  ['was written to', 'some bytes', (path: string) => appendFile(path, 'x')],
  ['has got its first bytes', '', (path: string) => appendFile(path, 'x')],
  ['is gone', 'some bytes', (path: string) => rm(path)],
])('a file that %s since it was chosen can’t be read', async (_, content, change) => {
  const path = join(folder, 'changing');
  await writeFile(path, content);
  const file = await choose(path);
  expect(await file.text()).toBe(content);
  await change(path);
  await expect(file.arrayBuffer()).rejects.toMatchObject({ name: 'NotReadableError' });
  await expect(file.stream().getReader().read()).rejects.toMatchObject({ name: 'NotReadableError' });
});
