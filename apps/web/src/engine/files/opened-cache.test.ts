import { OPENED_IDLE_MS } from '@satchel/contract/limits';
import { beforeEach, expect, test } from 'vitest';
import type { OpenedFile } from './open/open-client.ts';
import { createOpenedCache, type OpenedCache } from './opened-cache.ts';

let nowMs: number;
let revoked: string[];
let cache: OpenedCache;

const file = (name: string, sizeBytes = 10): OpenedFile => ({
  name,
  type: 'image/png',
  blob: new Blob([new Uint8Array(sizeBytes)]),
  objectUrl: `blob:${name}`,
  sizeBytes,
});

const LISTED = 'as a';

beforeEach(() => {
  nowMs = 1_000_000;
  revoked = [];
  cache = createOpenedCache({ nowMs: () => nowMs, revoke: (url) => revoked.push(url), maxBytes: 100 });
});

test('an opened file comes back as it was put', () => {
  const opened = file('a');
  cache.put('1', LISTED, opened);
  expect(cache.use('1', LISTED)).toEqual(opened);
  expect(cache.use('2', LISTED)).toBeNull();
});

test('an opened file is not returned once the listing names another file', () => {
  cache.put('1', LISTED, file('a'));
  expect([cache.peek('1', 'as b'), cache.use('1', 'as b')]).toEqual([null, null]);
  cache.put('1', 'as b', file('b'));
  expect([revoked, cache.peek('1', LISTED), cache.peek('1', 'as b')?.name]).toEqual([['blob:a'], null, 'b']);
});

test('an entry unused for more than ten minutes is removed, and its address revoked', () => {
  cache.put('1', LISTED, file('a'));
  nowMs += OPENED_IDLE_MS;
  cache.sweep();
  expect(cache.peek('1', LISTED)).not.toBeNull();
  nowMs += 1;
  cache.sweep();
  expect([cache.peek('1', LISTED), revoked]).toEqual([null, ['blob:a']]);
});

test('using an entry keeps it, looking at it does not', () => {
  cache.put('1', LISTED, file('a'));
  cache.put('2', LISTED, file('b'));
  nowMs += OPENED_IDLE_MS;
  cache.use('1', LISTED);
  cache.peek('2', LISTED);
  nowMs += 1;
  cache.sweep();
  expect([cache.peek('1', LISTED)?.name, cache.peek('2', LISTED)]).toEqual(['a', null]);
});

test('an entry that a viewer holds stays, and is used until the viewer lets go', () => {
  cache.put('1', LISTED, file('a'));
  const first = cache.hold('1');
  const second = cache.hold('1');
  nowMs += 2 * OPENED_IDLE_MS;
  first();
  first();
  cache.sweep();
  expect(cache.peek('1', LISTED)).not.toBeNull();
  second();
  cache.sweep();
  expect(cache.peek('1', LISTED)).not.toBeNull();
  nowMs += OPENED_IDLE_MS + 1;
  cache.sweep();
  expect(cache.peek('1', LISTED)).toBeNull();
});

test('a newer opening of the same file revokes the older address', () => {
  cache.put('1', LISTED, file('a'));
  cache.put('1', LISTED, file('b'));
  expect([revoked, cache.peek('1', LISTED)?.name]).toEqual([['blob:a'], 'b']);
});

test('beyond its size the least recently used are removed, but never one that is held or was just put', () => {
  cache.put('held', LISTED, file('held', 40));
  cache.hold('held');
  nowMs += 1;
  cache.put('old', LISTED, file('old', 30));
  nowMs += 1;
  cache.put('young', LISTED, file('young', 30));
  nowMs += 1;
  cache.use('old', LISTED);
  nowMs += 1;
  cache.put('new', LISTED, file('new', 90));
  expect(revoked).toEqual(['blob:young', 'blob:old']);
  expect(cache.peek('held', LISTED)).not.toBeNull();
  expect(cache.peek('new', LISTED)).not.toBeNull();
});

test('listeners hear of every file that is put or removed', () => {
  const versions: number[] = [];
  const stop = cache.subscribe(() => versions.push(cache.version()));
  cache.put('1', LISTED, file('a'));
  cache.put('2', LISTED, { ...file('b'), blob: null, objectUrl: null });
  cache.hold('2');
  cache.clear();
  stop();
  cache.put('3', LISTED, file('c'));
  expect([versions, revoked]).toEqual([[1, 2, 3, 4], ['blob:a']]);
});

test('the address of a file that was given up is revoked', () => {
  cache.revoke(file('a'));
  cache.revoke({ objectUrl: null });
  expect(revoked).toEqual(['blob:a']);
});
