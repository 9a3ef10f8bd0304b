import { decodeHeader, encodeHeader } from '@satchel/container/format';
import { importKeys, newFolderKey } from '@satchel/container/key';
import { createHeader, createSealer } from '@satchel/container/seal';
import { AppError } from '@satchel/contract/errors';
import { KIB } from '@satchel/contract/limits';
import { expect, test } from 'vitest';
import { createSealedFile, createWindowMaker } from './window-maker.ts';
import { createTagLedger, createWindows, StartAfresh } from './windows.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const keys = await importKeys(newFolderKey());
const SIZE = 300 * KIB + 11;
const WINDOW = 100 * KIB;

const contentOf = (seed: number): Bytes => Uint8Array.from({ length: SIZE }, (_, at) => (at * 31 + seed * 7) & 255);
const contents = [contentOf(1), contentOf(2)];

const { prefix } = encodeHeader(createHeader({ sizeBytes: SIZE, name: 'a', type: '' }));
const decoded = decodeHeader(prefix)!;

async function openWindows(file: Blob, onDisk = new Uint8Array(0)) {
  const events: string[] = [];
  const sealer = await createSealer(keys, decoded);
  const virtual = createSealedFile(sealer, file);
  const ledger = createTagLedger(virtual.totalChunks, onDisk, async (firstChunk) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    events.push(`log ${firstChunk}`);
  });
  const windows = createWindows({
    maker: createWindowMaker({ file, keys, prefix }),
    size: virtual.sizeBytes,
    ledger,
    onSealed: (bytes) => events.push(`sealed ${bytes}`),
    windowBytes: WINDOW,
  });
  return { windows, events, virtual };
}

test('windows make up the container, reuse their buffers, and come after their tags are on disk', async () => {
  const { windows, events, virtual } = await openWindows(new Blob([contents[0]!]));
  const whole = new Uint8Array(virtual.sizeBytes);
  let filled = 0;
  await virtual.range(0, virtual.sizeBytes, {
    onChunk: () => undefined,
    write: (bytes) => {
      whole.set(bytes, filled);
      filled += bytes.length;
    },
  });
  const first = await windows.make(0);
  expect(events).toEqual(['log 0', `sealed ${WINDOW}`]);
  expect(Buffer.compare(first, whole.subarray(0, WINDOW))).toBe(0);
  const { buffer } = first;
  windows.giveBack(first);
  const second = await windows.make(WINDOW);
  expect(second.buffer).toBe(buffer);
  expect(Buffer.compare(second, whole.subarray(WINDOW, 2 * WINDOW))).toBe(0);
});

test('a window after one that failed is not handed out', async () => {
  const { windows } = await openWindows(new Blob([contents[0]!]), new Uint8Array(32).fill(7));
  const [first, second] = [windows.make(0), windows.make(WINDOW)];
  await expect(first).rejects.toThrow(StartAfresh);
  await expect(second).rejects.toThrow(StartAfresh);
});

test('a file that is too short fails with its code', async () => {
  const file = new Blob([contents[0]!.subarray(0, 100)]);
  const { windows } = await openWindows(file);
  await expect(windows.make(0)).rejects.toBeInstanceOf(AppError);
});

test('a window that is asked for again before it came comes both times', async () => {
  const { windows } = await openWindows(new Blob([contents[0]!]));
  // A refused socket leaves requests unanswered, and the next attempt asks for the same windows again.
  const [refused, next, after] = [windows.make(0), windows.make(0), windows.make(WINDOW)];
  expect(Buffer.compare(await refused, await next)).toBe(0);
  expect(await after).toHaveLength(WINDOW);
});

test('a window after the end of its maker is not made', async () => {
  const { windows } = await openWindows(new Blob([contents[0]!]));
  windows.close();
  await expect(windows.make(0)).rejects.toBeInstanceOf(AppError);
});

test('a window that begins between two ends at the next one, and one that is cut short at its end', async () => {
  const { windows } = await openWindows(new Blob([contents[0]!]));
  expect(await windows.make(0, 7)).toHaveLength(7);
  expect(await windows.make(7)).toHaveLength(WINDOW - 7);
  expect(windows.endOf(windows.size - 1)).toBe(windows.size);
});
