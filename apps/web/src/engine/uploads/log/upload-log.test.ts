import { IDBFactory } from 'fake-indexeddb';
import 'fake-indexeddb/auto';
import { identify } from '@satchel/client/send/identity';
import type { UploadEntry } from '@satchel/client/send/ports';
import { beforeEach, describe, expect, test } from 'vitest';
import { openUploadLog } from './upload-log.ts';

const entryOf = (id: string, over: Partial<UploadEntry> = {}): UploadEntry => ({
  id,
  place: 'place',
  fingerprint: 'print',
  prefix: new Uint8Array([1, 2, 3]),
  objectName: 'path/name.enc',
  sealed: 'label',
  bytesTotal: 1000,
  url: null,
  createdAtMs: 1,
  expiresAtMs: 1000,
  ...over,
});
const tagsOf = (...values: number[]) => new Uint8Array(values.flatMap((value) => new Array(32).fill(value)));

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory();
});

describe('the write-ahead log', () => {
  test('finds the uploads of a place, newest first', async () => {
    const log = await openUploadLog();
    await log.create(entryOf('a', { createdAtMs: 1 }));
    await log.create(entryOf('b', { createdAtMs: 3 }));
    await log.create(entryOf('c', { createdAtMs: 2, place: 'other' }));
    expect((await log.find('place')).map(({ id }) => id)).toEqual(['b', 'a']);
    expect(await log.find('none')).toEqual([]);
    log.close();
  });

  test('outlives the page: header, address and tags come back byte for byte', async () => {
    const before = await openUploadLog();
    await before.create(entryOf('a'));
    await before.setUrl('a', 'https://satchel.example/storage/v1/upload/resumable/1');
    await before.appendTags('a', 0, tagsOf(1, 2));
    await before.appendTags('a', 2, tagsOf(3));
    before.close();
    const log = await openUploadLog();
    const url = 'https://satchel.example/storage/v1/upload/resumable/1';
    expect(await log.get('a')).toEqual(entryOf('a', { url }));
    expect(await log.readTags('a')).toEqual(tagsOf(1, 2, 3));
    log.close();
  });

  test('keeps a hundred thousand tags in their order', async () => {
    const log = await openUploadLog();
    await log.create(entryOf('a'));
    await log.create(entryOf('b'));
    await log.appendTags('b', 0, tagsOf(9));
    for (const first of [0, 50_000]) {
      const tags = new Uint8Array(50_000 * 32);
      new Uint32Array(tags.buffer).forEach((_, at, all) => {
        all[at] = first * 8 + at;
      });
      await log.appendTags('a', first, tags);
    }
    const numbers = new Uint32Array((await log.readTags('a')).buffer);
    expect(numbers.length).toBe(800_000);
    expect(numbers.every((number, at) => number === at)).toBe(true);
    log.close();
  });

  test('ignores tags after a gap', async () => {
    const log = await openUploadLog();
    await log.create(entryOf('a'));
    await log.appendTags('a', 0, tagsOf(1));
    await log.appendTags('a', 2, tagsOf(3));
    expect(await log.readTags('a')).toEqual(tagsOf(1));
    log.close();
  });

  test('removes an upload with its tags, and takes no tags for it any more', async () => {
    const log = await openUploadLog();
    await log.create(entryOf('a'));
    await log.appendTags('a', 0, tagsOf(1));
    await log.remove('a');
    expect(await log.get('a')).toBeNull();
    expect(await log.readTags('a')).toEqual(new Uint8Array(0));
    await expect(log.appendTags('a', 1, tagsOf(2))).rejects.toThrow('was deleted');
    expect(await log.readTags('a')).toEqual(new Uint8Array(0));
    log.close();
  });

  test('purges entries of expired folders', async () => {
    const log = await openUploadLog();
    await log.create(entryOf('old', { expiresAtMs: 1000 }));
    await log.create(entryOf('new', { expiresAtMs: 1001 }));
    await log.appendTags('old', 0, tagsOf(1));
    await log.purgeExpired(1000);
    expect((await log.find('place')).map(({ id }) => id)).toEqual(['new']);
    expect(await log.readTags('old')).toEqual(new Uint8Array(0));
    log.close();
  });

  test('an address for an upload that was removed in between restores no entry', async () => {
    const log = await openUploadLog();
    await log.setUrl('a', 'https://satchel.example/1');
    expect(await log.get('a')).toBeNull();
    log.close();
  });
});

describe('the identity of a file', () => {
  const file = { size: 5, lastModified: 7, type: 'image/png' };
  const of = (over: object = {}, path = 'a.png', userId = 'mika', folderId = 'f') =>
    identify({ userId, folderId, path, file: { ...file, ...over } });

  test('is the same for the same file, and holds no name', async () => {
    expect(await of()).toEqual(await of());
    for (const hash of Object.values(await of())) expect(hash).toMatch(/^[\w-]{43}$/);
  });

  test('another state of a file has the same place and another fingerprint', async () => {
    const states = await Promise.all([of(), of({ size: 6 }), of({ lastModified: 8 }), of({ type: '' })]);
    expect(new Set(states.map(({ place }) => place)).size).toBe(1);
    expect(new Set(states.map(({ fingerprint }) => fingerprint)).size).toBe(4);
  });

  test('another name, path, person or folder is another place', async () => {
    const places = [
      of(),
      of({}, 'b.png'),
      of({}, 'pictures/a.png'),
      of({}, 'a.png', 'jonas'),
      of({}, 'a.png', 'mika', 'g'),
    ];
    const identities = await Promise.all(places);
    expect(new Set(identities.map(({ place }) => place)).size).toBe(5);
    expect(new Set(identities.map(({ fingerprint }) => fingerprint)).size).toBe(5);
  });
});
