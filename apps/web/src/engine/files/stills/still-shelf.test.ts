import type { FolderKeys } from '@satchel/container/key';
import { beforeEach, expect, test } from 'vitest';
import type { StillRef, StillRequest } from './still-ref.ts';
import { stillRef } from './still-ref.ts';
import { createStillShelf, type StillShelf } from './still-shelf.ts';

const place = { bucket: 'unlocked-folders', storagePath: 'p' };
const ref = (name: string, storagePath = 'p'): StillRef => ({
  key: `${storagePath}/${name}`,
  place: { ...place, storagePath },
  name,
  seal: null,
});

interface Asked {
  readonly request: StillRequest;
  readonly bring: (name: string, still?: Blob | null) => void;
  readonly end: () => Promise<void>;
  readonly fail: () => Promise<void>;
}

let asked: Asked[];
let live: Set<string>;
let shelf: StillShelf;
const settled = () => new Promise<void>((resolve) => setTimeout(resolve));

beforeEach(() => {
  [asked, live] = [[], new Set()];
  let made = 0;
  shelf = createStillShelf({
    fetchStills(request, onStill) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const find = (name: string) => request.refs.find((one) => one.name === name);
      asked.push({
        request,
        bring(name, still = new Blob([name])) {
          const found = find(name);
          if (found) onStill(found, still);
        },
        async end() {
          resolve();
          await settled();
        },
        async fail() {
          reject(new Error('offline'));
          await settled();
        },
      });
      return promise;
    },
    createUrl() {
      made += 1;
      live.add(`still:${made}`);
      return `still:${made}`;
    },
    revoke: (url) => live.delete(url),
    maxStills: 2,
  });
});

const names = (at: number) => asked[at]?.request.refs.map(({ name }) => name);

test('a screenful is one request for the small stills, then one for the large ones', async () => {
  for (const name of ['a', 'b', 'c']) shelf.want(ref(name), 'large');
  await settled();
  expect(asked.map(({ request }) => request.size)).toEqual(['small']);
  expect(names(0)).toEqual(['a', 'b', 'c']);
  asked[0]?.bring('a');
  expect(shelf.get('p/a', 'large')).toBe('still:1');
  asked[0]?.bring('b');
  asked[0]?.bring('c');
  await asked[0]?.end();
  expect(asked[1]?.request.size).toBe('large');
  asked[1]?.bring('a');
  expect([shelf.get('p/a', 'large'), shelf.get('p/a', 'small')]).toEqual(['still:4', 'still:1']);
});

test('what has left the screen before its turn is not asked for', async () => {
  shelf.want(ref('a'), 'large');
  const leave = shelf.want(ref('b'), 'large');
  await settled();
  asked[0]?.bring('a');
  asked[0]?.bring('b');
  leave();
  await asked[0]?.end();
  expect(names(1)).toEqual(['a']);
});

test('a request has the stills of one folder', async () => {
  shelf.want(ref('a'), 'small');
  shelf.want(ref('b', 'q'), 'small');
  await settled();
  expect(names(0)).toEqual(['a']);
  asked[0]?.bring('a');
  await asked[0]?.end();
  expect(names(1)).toEqual(['b']);
});

test('a still that doesn’t open is none, and is not asked for again', async () => {
  expect(shelf.has('p/a', true)).toBe(true);
  shelf.want(ref('a'), 'large');
  await settled();
  asked[0]?.bring('a', null);
  await asked[0]?.end();
  expect(shelf.has('p/a', true)).toBe(false);
  shelf.want(ref('a'), 'large');
  await settled();
  expect(asked).toHaveLength(1);
});

test('without an answer, files are as those without a still', async () => {
  shelf.want(ref('a'), 'large');
  await settled();
  await asked[0]?.fail();
  expect(shelf.has('p/a', true)).toBe(false);
});

test('beyond the bound, stills that are not shown are revoked', async () => {
  for (const name of ['a', 'b', 'c']) {
    const leave = shelf.want(ref(name), 'small');
    await settled();
    asked.at(-1)?.bring(name);
    await asked.at(-1)?.end();
    leave();
  }
  shelf.want(ref('d'), 'small');
  await settled();
  asked.at(-1)?.bring('d');
  await asked.at(-1)?.end();
  expect(live.size).toBe(2);
  expect(shelf.get('p/a', 'small')).toBeNull();
});

test('a still that this page made is shown without a request, also before the list names it', async () => {
  shelf.expect('p/a');
  expect(shelf.has('p/a', false)).toBe(true);
  shelf.want(ref('a'), 'large');
  await settled();
  expect(asked).toEqual([]);
  shelf.bring('p/a', { small: new Blob(['s']), large: new Blob(['l']) });
  shelf.settle('p/a', true);
  await settled();
  expect(shelf.get('p/a', 'large')).toBe('still:2');
  expect(asked).toEqual([]);
});

test('a file whose still could not be made has none', () => {
  shelf.expect('p/a');
  shelf.settle('p/a', false);
  expect(shelf.has('p/a', false)).toBe(false);
});

test('clearing revokes everything', async () => {
  shelf.want(ref('a'), 'small');
  await settled();
  asked[0]?.bring('a');
  shelf.clear();
  expect([live.size, shelf.get('p/a', 'small')]).toEqual([0, null]);
});

const entry = {
  id: '1',
  name: 'x.enc',
  created_at: '2026-03-01T12:00:00Z',
  updated_at: '2026-03-01T12:00:00Z',
  metadata: { size: 9, mimetype: 'image/png', eTag: '"1"', still: true as const },
};
const keys = {} as FolderKeys;
const bound = { keys, labelKeys: keys, label: { name: 'a', type: '' }, sizeBytes: 9, header: 'hash' };

test('in an encrypted folder a still needs a label', () => {
  expect(stillRef(entry, { place, encrypted: true, proof: bound })?.seal).toEqual({ keys, header: 'hash' });
  expect(stillRef(entry, { place, encrypted: true, proof: null })).toBeNull();
  expect(stillRef(entry, { place, encrypted: false, proof: null })?.seal).toBeNull();
});
