import { expect, test } from 'vitest';
import { createTagLedger, StartAfresh } from './windows.ts';

type Bytes = Uint8Array<ArrayBuffer>;
const tagOf = (value: number): Bytes => new Uint8Array(32).fill(value);
const tagsOf = (...values: number[]): Bytes => new Uint8Array(values.flatMap((value) => [...tagOf(value)]));

function newLedger(totalChunks: number, onDisk: Uint8Array = new Uint8Array(0)) {
  const appended: { firstChunk: number; tags: Bytes }[] = [];
  const ledger = createTagLedger(totalChunks, onDisk, async (firstChunk, tags) => {
    appended.push({ firstChunk, tags });
  });
  return { ledger, appended };
}

test('a new upload logs its tags in one block a slice, each once', async () => {
  const { ledger, appended } = newLedger(4);
  ledger.take(0, tagOf(1));
  ledger.take(1, tagOf(2));
  expect(ledger.logged()).toBe(0);
  await ledger.flush();
  ledger.take(1, tagOf(2));
  ledger.take(2, tagOf(3));
  await ledger.flush();
  await ledger.flush();
  expect(appended).toEqual([
    { firstChunk: 0, tags: tagsOf(1, 2) },
    { firstChunk: 2, tags: tagsOf(3) },
  ]);
  expect(ledger.logged()).toBe(3);
  expect(ledger.verified()).toBe(3);
});

test('a chunk that was emitted before must come out the same, or the upload starts afresh', () => {
  const { ledger } = newLedger(3, tagsOf(1, 2));
  ledger.take(0, tagOf(1));
  expect(ledger.verified()).toBe(1);
  expect(() => ledger.take(1, tagOf(9))).toThrow(StartAfresh);
  expect(ledger.verified()).toBe(1);
});

test('a tag not yet on disk is compared, too', () => {
  const { ledger } = newLedger(3);
  ledger.take(0, tagOf(1));
  expect(() => ledger.take(0, tagOf(2))).toThrow(StartAfresh);
});

test('a gap in the log is no log', () => {
  const { ledger } = newLedger(5, tagsOf(1, 2));
  expect(() => ledger.take(3, tagOf(4))).toThrow(StartAfresh);
});

test('chunks beyond the log are logged after those that were there', async () => {
  const { ledger, appended } = newLedger(3, tagsOf(1, 2));
  for (const index of [0, 1, 2]) ledger.take(index, tagOf(index + 1));
  await ledger.flush();
  expect(appended).toEqual([{ firstChunk: 2, tags: tagsOf(3) }]);
});

test('tags that could not be written are written the next time', async () => {
  let fail = true;
  const blocks: number[] = [];
  const ledger = createTagLedger(2, new Uint8Array(0), async (firstChunk) => {
    if (fail) throw new Error('full');
    blocks.push(firstChunk);
  });
  ledger.take(0, tagOf(1));
  await expect(ledger.flush()).rejects.toThrow('full');
  fail = false;
  await ledger.flush();
  expect(blocks).toEqual([0]);
});

test('tags that come while others are written share the next write, and each flush waits for its own', async () => {
  const written: { readonly firstChunk: number; readonly end: () => void }[] = [];
  const ledger = createTagLedger(4, new Uint8Array(0), (firstChunk) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    written.push({ firstChunk, end: resolve });
    return promise;
  });
  const flushed: number[] = [];
  for (const index of [0, 1, 2]) {
    ledger.take(index, tagOf(index));
    void ledger.flush().then(() => flushed.push(index));
  }
  written[0]!.end();
  await expect.poll(() => written.length).toBe(2);
  expect(flushed).toEqual([0]);
  written[1]!.end();
  await expect.poll(() => flushed).toEqual([0, 1, 2]);
  expect(written.map(({ firstChunk }) => firstChunk)).toEqual([0, 1]);
});
