import { beforeEach, expect, test } from 'vitest';
import type { MadeStill } from './encode-still.ts';
import { createStillMaker, type StillMaker } from './still-maker.ts';

interface Drawing {
  readonly name: string;
  readonly done: () => Promise<void>;
  readonly fail: () => Promise<void>;
}

const STILL: MadeStill = { small: new Blob(['s']), large: new Blob(['l']) };
let drawings: Drawing[];
let rests: number[];
let nowMs: number;
let isBusy: boolean;
let maker: StillMaker;
const settled = () => new Promise<void>((resolve) => setTimeout(resolve));

beforeEach(() => {
  [drawings, rests, nowMs, isBusy] = [[], [], 0, false];
  maker = createStillMaker({
    draw(_kind, { name }) {
      const { promise, resolve, reject } = Promise.withResolvers<MadeStill>();
      const done = () => {
        resolve(STILL);
        return settled();
      };
      const fail = () => {
        reject(new Error('no decoder'));
        return settled();
      };
      drawings.push({ name, done, fail });
      return promise;
    },
    whenIdle: async () => undefined,
    isBusy: () => isBusy,
    sleep: async (delayMs) => void rests.push(delayMs),
    nowMs: () => nowMs,
  });
});

const photo = (name: string, type = 'image/jpeg') => new File([new Uint8Array(100_000)], name, { type });
const names = () => drawings.map(({ name }) => name);

test('stills are made one at a time, and once for each file', async () => {
  const file = photo('a.jpg');
  const { signal } = new AbortController();
  const [row, sending, other] = [maker.small(file, signal), maker.take(file), maker.take(photo('b.jpg'))];
  await settled();
  expect(names()).toEqual(['a.jpg']);
  await drawings[0]?.done();
  expect([await row, await sending]).toEqual([STILL.small, STILL]);
  expect(names()).toEqual(['a.jpg', 'b.jpg']);
  await drawings[1]?.done();
  await other;
  expect(await maker.small(file, signal)).toBe(STILL.small);
  expect(drawings).toHaveLength(2);
});

test('what a row shows before its file is sent is made once for both', async () => {
  const file = photo('a.jpg');
  const row = maker.small(file, new AbortController().signal);
  await settled();
  await drawings[0]?.done();
  expect([await row, await maker.take(file)]).toEqual([STILL.small, STILL]);
  expect(drawings).toHaveLength(1);
});

test('a file that can’t be drawn has no still, is not tried again, and doesn’t stop the next', async () => {
  const file = photo('a.jpg');
  const [made, next] = [maker.take(file), maker.take(photo('b.jpg'))];
  await settled();
  await drawings[0]?.fail();
  expect(await made).toBeNull();
  await drawings[1]?.done();
  expect(await next).toBe(STILL);
  expect(await maker.take(file)).toBeNull();
  expect(drawings).toHaveLength(2);
});

test('a file of another kind has none at once', async () => {
  expect(await maker.take(photo('a.txt', 'text/plain'))).toBeNull();
  expect(drawings).toEqual([]);
});

test('a row that left the screen before its turn is not made, unless the file’s sending waits for it, too', async () => {
  const control = new AbortController();
  const [file, shared] = [photo('b.jpg'), photo('c.jpg')];
  void maker.take(photo('a.jpg'));
  const left = maker.small(file, control.signal);
  void maker.small(shared, control.signal);
  void maker.take(shared);
  await settled();
  control.abort();
  expect(await left).toBeNull();
  await drawings[0]?.done();
  expect(names()).toEqual(['a.jpg', 'c.jpg']);
});

test('a row that leaves the screen while its still is made leaves it to the file’s sending', async () => {
  const control = new AbortController();
  const file = photo('a.jpg');
  void maker.small(file, control.signal);
  await settled();
  control.abort();
  const sending = maker.take(file);
  await drawings[0]?.done();
  expect(await Promise.race([sending, settled()])).toBe(STILL);
  expect(drawings).toHaveLength(1);
});

test('while files are sent, making rests for three times as long as it took', async () => {
  isBusy = true;
  void maker.take(photo('a.jpg'));
  await settled();
  nowMs = 200;
  await drawings[0]?.done();
  expect(rests).toEqual([600]);
});
