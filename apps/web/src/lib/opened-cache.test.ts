import { OPENED_IDLE_MS } from '@satchel/contract/limits';
import { beforeEach, expect, test } from 'vitest';
import type { OpenedFile } from './open-client.ts';
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

beforeEach(() => {
  nowMs = 1_000_000;
  revoked = [];
  cache = createOpenedCache({ nowMs: () => nowMs, revoke: (url) => revoked.push(url), maxBytes: 100 });
});

test('an opened file comes back as it was put', () => {
  const opened = file('a');
  cache.put('1', opened);
  expect(cache.use('1')).toEqual(opened);
  expect(cache.use('2')).toBeNull();
});

test('an entry unused for more than ten minutes is removed, and its address revoked', () => {
  cache.put('1', file('a'));
  nowMs += OPENED_IDLE_MS;
  cache.sweep();
  expect(cache.peek('1')).not.toBeNull();
  nowMs += 1;
  cache.sweep();
  expect([cache.peek('1'), revoked]).toEqual([null, ['blob:a']]);
});

test('using an entry keeps it, looking at it does not', () => {
  cache.put('1', file('a'));
  cache.put('2', file('b'));
  nowMs += OPENED_IDLE_MS;
  cache.use('1');
  cache.peek('2');
  nowMs += 1;
  cache.sweep();
  expect([cache.peek('1')?.name, cache.peek('2')]).toEqual(['a', null]);
});

test('an entry that a viewer holds stays, and is used until the viewer lets go', () => {
  cache.put('1', file('a'));
  const first = cache.hold('1');
  const second = cache.hold('1');
  nowMs += 2 * OPENED_IDLE_MS;
  first();
  first();
  cache.sweep();
  expect(cache.peek('1')).not.toBeNull();
  second();
  cache.sweep();
  expect(cache.peek('1')).not.toBeNull();
  nowMs += OPENED_IDLE_MS + 1;
  cache.sweep();
  expect(cache.peek('1')).toBeNull();
});

test('a newer opening of the same file revokes the older address', () => {
  cache.put('1', file('a'));
  cache.put('1', file('b'));
  expect([revoked, cache.peek('1')?.name]).toEqual([['blob:a'], 'b']);
});

test('beyond its size the least recently used go, but never what is held or was just put', () => {
  cache.put('held', file('held', 40));
  cache.hold('held');
  nowMs += 1;
  cache.put('old', file('old', 30));
  nowMs += 1;
  cache.put('young', file('young', 30));
  nowMs += 1;
  cache.use('old');
  nowMs += 1;
  cache.put('new', file('new', 90));
  expect(revoked).toEqual(['blob:young', 'blob:old']);
  expect(cache.peek('held')).not.toBeNull();
  expect(cache.peek('new')).not.toBeNull();
});

test('whoever listens hears of every file that comes or goes', () => {
  const versions: number[] = [];
  const stop = cache.subscribe(() => versions.push(cache.version()));
  cache.put('1', file('a'));
  cache.put('2', { ...file('b'), blob: null, objectUrl: null });
  cache.hold('2');
  cache.clear();
  stop();
  cache.put('3', file('c'));
  expect([versions, revoked]).toEqual([[1, 2, 3, 4], ['blob:a']]);
});

test('a file that nobody waits for any more gives its address back', () => {
  cache.discard(file('a'));
  cache.discard({ objectUrl: null });
  expect(revoked).toEqual(['blob:a']);
});
