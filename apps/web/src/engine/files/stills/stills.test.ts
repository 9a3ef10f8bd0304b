import { expect, test, vi } from 'vitest';
import type { Still, StillSource } from './draw-still.ts';
import { createStills } from './stills.ts';

const film = (src: string): StillSource => ({ kind: 'film', src });

function setUp(maxStills = 2) {
  const drawing: { src: string; done: (still: Still) => void; fail: (error: Error) => void }[] = [];
  const live = new Set<string>();
  let made = 0;
  const stills = createStills({
    draw: ({ src }) => new Promise((done, fail) => drawing.push({ src, done, fail })),
    createUrl: () => {
      made += 1;
      const url = `still:${made}`;
      live.add(url);
      return url;
    },
    revoke: (url) => live.delete(url),
    maxStills,
  });
  const settle = () => new Promise(setImmediate);
  const finish = async () => {
    drawing.shift()?.done({ picture: new Blob(['x']), durationSeconds: 3 });
    await settle();
  };
  const fail = async () => {
    drawing.shift()?.fail(new Error('no'));
    await settle();
  };
  return { stills, drawing, live, finish, fail };
}

test('stills are drawn one at a time, and once', async () => {
  const { stills, drawing, finish } = setUp();
  stills.want(film('a'));
  stills.want(film('b'));
  stills.want(film('a'));
  expect(drawing.map(({ src }) => src)).toEqual(['a']);
  await finish();
  expect(stills.get('a')).toMatchObject({ durationSeconds: 3 });
  expect(drawing.map(({ src }) => src)).toEqual(['b']);
  await finish();
  expect(drawing).toEqual([]);
});

test('a file that left the screen before its turn is not drawn', async () => {
  const { stills, drawing, finish } = setUp();
  stills.want(film('a'));
  const leave = stills.want(film('b'));
  leave();
  await finish();
  expect(drawing).toEqual([]);
});

test('beyond the bound, stills that are not shown are revoked, the ones shown longest ago first', async () => {
  const { stills, live, finish } = setUp(2);
  for (const src of ['a', 'b', 'c']) {
    const leave = stills.want(film(src));
    await finish();
    leave();
  }
  expect(live.size).toBe(2);
  expect(stills.get('a')).toBeNull();
  stills.want(film('b'))();
  stills.want(film('d'));
  await finish();
  expect([stills.get('b') !== null, stills.get('c') !== null]).toEqual([true, false]);
  expect(live.size).toBe(2);
});

test('a still is revoked with its file', async () => {
  const { stills, live, finish } = setUp();
  stills.want(film('a'));
  await finish();
  stills.keepOnly((src) => src !== 'a');
  expect(stills.get('a')).toBeNull();
  expect(live.size).toBe(0);
});

test('a film that can’t be played is tried once and only logged', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const { stills, drawing, fail } = setUp();
  stills.want(film('a'));
  await fail();
  expect(stills.get('a')).toEqual({ url: null, durationSeconds: null });
  stills.want(film('a'));
  expect(drawing).toEqual([]);
  expect(warn).toHaveBeenCalledOnce();
  warn.mockRestore();
});
