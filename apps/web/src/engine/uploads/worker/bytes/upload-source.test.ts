import { encodeHeader } from '@satchel/container/format';
import { importKeys, newFolderKey } from '@satchel/container/key';
import { createHeader, createSealer } from '@satchel/container/seal';
import { MIB, UPLOAD_CHUNK_BYTES } from '@satchel/contract/limits';
import { expect, test } from 'vitest';
import { createBodyMaker, type SentBytes } from './bodies.ts';
import { createTagLedger, StartAfresh } from './tag-ledger.ts';
import { createUploadSource } from './upload-source.ts';
import { createSealedFile } from './virtual-file.ts';

type Bytes = Uint8Array<ArrayBuffer>;
const SIZE = 14 * MIB + 3;
const content: Bytes = new Uint8Array(SIZE);
for (let at = 0; at < SIZE; at += 65_536) crypto.getRandomValues(content.subarray(at, at + 65_536));
const sealer = await createSealer(
  await importKeys(newFolderKey()),
  encodeHeader(createHeader({ sizeBytes: SIZE, name: 'a', type: '' })),
);
const never = new AbortController().signal;

/** `disk` is what a page leaves behind of its log, `events` what happened in which order. */
function newSource(plain: Bytes = content, onDisk: readonly number[] = []) {
  const disk = [...onDisk];
  const events: string[] = [];
  const virtual = createSealedFile(sealer, new Blob([plain]));
  const ledger = createTagLedger(virtual.totalChunks, new Uint8Array(onDisk), async (firstChunk, tags) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    events.push(`log ${firstChunk}`);
    disk.push(...tags);
  });
  const bodies = createBodyMaker('test');
  const source = createUploadSource({ virtual, ledger, bodies, onSealed: (bytes) => events.push(`sealed ${bytes}`) });
  return { source, virtual, ledger, disk, events };
}

const bytesOf = async (body: SentBytes) => Buffer.from(await new Blob([body]).arrayBuffer());

async function wholeContainer(): Promise<Buffer> {
  const { virtual } = newSource();
  const parts: Bytes[] = [];
  await virtual.range(0, virtual.sizeBytes, { onChunk: () => undefined, write: (bytes) => parts.push(bytes.slice()) });
  return bytesOf(new Blob(parts));
}
const whole = await wholeContainer();

test('slices follow each other and make up the container; the last one says so', async () => {
  const { source } = newSource();
  const bodies: SentBytes[] = [];
  for (let at = 0; at < source.size; at += UPLOAD_CHUNK_BYTES) {
    const { value, done } = await source.slice(at, Math.min(source.size, at + UPLOAD_CHUNK_BYTES));
    bodies.push(value);
    expect(done).toBe(at + UPLOAD_CHUNK_BYTES >= source.size);
  }
  expect(Buffer.compare(await bytesOf(new Blob(bodies)), whole)).toBe(0);
});

test('a slice is handed out only once the tags of all its chunks are on disk', async () => {
  const { source, virtual, ledger, events } = newSource();
  await source.slice(0, UPLOAD_CHUNK_BYTES);
  expect(ledger.logged()).toBeGreaterThanOrEqual(virtual.chunksBefore(UPLOAD_CHUNK_BYTES));
  expect(events.slice(0, 2)).toEqual(['log 0', `sealed ${UPLOAD_CHUNK_BYTES}`]);
});

test('one slice is sealed ahead, and no more', async () => {
  const { source, virtual, ledger, events } = newSource();
  await source.slice(0, UPLOAD_CHUNK_BYTES);
  await expect.poll(() => events.length).toBe(4);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(ledger.logged()).toBe(virtual.chunksBefore(2 * UPLOAD_CHUNK_BYTES));
});

test('a retry at an odd offset gets the same bytes again, whatever was sealed ahead', async () => {
  const { source } = newSource();
  await source.slice(0, UPLOAD_CHUNK_BYTES);
  const { value } = await source.slice(1_234_567, 1_234_567 + UPLOAD_CHUNK_BYTES);
  const expected = whole.subarray(1_234_567, 1_234_567 + UPLOAD_CHUNK_BYTES);
  expect(Buffer.compare(await bytesOf(value), expected)).toBe(0);
});

test('a later page with the same file checks the sent bytes and resumes inside of a chunk', async () => {
  const before = newSource();
  await before.source.slice(0, UPLOAD_CHUNK_BYTES);
  const offset = UPLOAD_CHUNK_BYTES - 70_001;
  const { source, ledger, virtual } = newSource(content, before.disk);
  const checked: number[] = [];
  await source.verify(offset, never, (bytes) => checked.push(bytes));
  expect(checked.at(-1)).toBe(offset);
  expect(ledger.verified()).toBe(virtual.chunksBefore(offset));
  const { value } = await source.slice(offset, offset + UPLOAD_CHUNK_BYTES);
  expect(Buffer.compare(await bytesOf(value), whole.subarray(offset, offset + UPLOAD_CHUNK_BYTES))).toBe(0);
});

test.each([
  ['before the offset', 100],
  ['at the offset', 5 * MIB],
])('a changed byte %s means to start afresh', async (_, place) => {
  const before = newSource();
  await before.source.slice(0, UPLOAD_CHUNK_BYTES);
  const changed = content.slice();
  changed[place]! ^= 1;
  const { source } = newSource(changed, before.disk);
  await expect(source.verify(5 * MIB + 5000, never, () => undefined)).rejects.toThrow(StartAfresh);
});

test('a changed byte in what was sealed ahead and perhaps sent is found before it is sent again', async () => {
  const before = newSource();
  await before.source.slice(0, UPLOAD_CHUNK_BYTES);
  const changed = content.slice();
  changed[5 * MIB]! ^= 1;
  const { source } = newSource(changed, before.disk);
  await source.verify(MIB, never, () => undefined);
  await expect(source.slice(MIB, MIB + UPLOAD_CHUNK_BYTES)).rejects.toThrow(StartAfresh);
});

test('a log that does not reach the offset means to start afresh', async () => {
  const before = newSource();
  await before.source.slice(0, UPLOAD_CHUNK_BYTES);
  const { source } = newSource(content, before.disk.slice(0, 32 * 10));
  await expect(source.verify(5 * MIB, never, () => undefined)).rejects.toThrow(StartAfresh);
});

test('checking stops at a pause and resumes from there', async () => {
  const before = newSource();
  for (const at of [0, UPLOAD_CHUNK_BYTES]) await before.source.slice(at, at + UPLOAD_CHUNK_BYTES);
  const { source } = newSource(content, before.disk);
  const pause = new AbortController();
  const offset = 2 * UPLOAD_CHUNK_BYTES;
  await expect(source.verify(offset, pause.signal, () => pause.abort())).rejects.toThrow('aborted');
  const checked: number[] = [];
  await source.verify(offset, never, (bytes) => checked.push(bytes));
  expect(checked).toHaveLength(1);
});

test('nothing is checked again that this worker has made itself', async () => {
  const { source } = newSource();
  await source.slice(0, UPLOAD_CHUNK_BYTES);
  await source.verify(UPLOAD_CHUNK_BYTES, never, () => expect.unreachable());
});

test('memory of what is checked is given back every 256 MiB, and once before the rest is sent', async () => {
  const chunks = 600;
  const asked: number[] = [];
  let verified = 0;
  const own = ArrayBuffer;
  const virtual = {
    ...newSource().virtual,
    chunksBefore: () => chunks,
    chunkStart: (index: number) => index * MIB,
    range: async (_: number, end: number) => {
      verified = end / MIB;
    },
  };
  const ledger = { ...newSource().ledger, logged: () => chunks, verified: () => verified };
  const bodies = createBodyMaker('test');
  const source = createUploadSource({ virtual, ledger, bodies, onSealed: () => undefined });
  globalThis.ArrayBuffer = new Proxy(own, {
    construct(target, [length]: [number]) {
      if (length > MIB) asked.push(verified);
      return new target(length);
    },
  });
  try {
    await source.verify(chunks * MIB, never, () => undefined);
  } finally {
    globalThis.ArrayBuffer = own;
  }
  expect(asked).toEqual([258, 516, 600]);
});
