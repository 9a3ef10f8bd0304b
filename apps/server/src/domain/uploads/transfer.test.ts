import { createHash } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { crc32 } from 'node:zlib';
import { AppError } from '@satchel/contract/errors';
import { MIB } from '@satchel/contract/limits';
import { afterEach, expect, test, vi } from 'vitest';
import { freeChunk } from '../../platform/blobs/body-batches.ts';
import { MINIMUM_RATE } from './minimum-rate.ts';
import { NOTHING, type Progressed, startTransfer, type TransferInput, type TransferWriter } from './transfer.ts';

/** A transfer whose writer records how much was written, synced and committed. */
function begin(overrides: Partial<TransferInput> & { lengthBytes: number; writer?: TransferWriter }) {
  const body = new PassThrough({ highWaterMark: Number.MAX_SAFE_INTEGER });
  const state = { written: 0, synced: 0, commits: [] as [number, number][], sums: [] as number[] };
  const writer: TransferWriter = {
    write: async (chunks) => {
      for (const chunk of chunks) state.written += chunk.length;
    },
    sync: async () => {
      const durable = state.written;
      await new Promise((resolve) => setImmediate(resolve));
      state.synced = durable;
      return [];
    },
  };
  const from = overrides.from ?? NOTHING;
  const commit = async (fromBytes: number, to: Progressed) => {
    expect(to.bytes - from.bytes).toBeLessThanOrEqual(state.synced);
    expect(fromBytes).toBe(state.commits.at(-1)?.[1] ?? from.bytes);
    state.commits.push([fromBytes, to.bytes]);
    state.sums.push(to.sum);
  };
  const transfer = startTransfer({ body, writer, from, checksum: null, commit, ...overrides });
  return { body, state, transfer };
}

afterEach(() => {
  vi.useRealTimers();
});

test('acknowledges only durable bytes, and leaves the last byte to the completion', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const { body, state, transfer } = begin({ lengthBytes: 64 * MIB });
  for (let index = 0; index < 64; index += 1) {
    body.write(Buffer.alloc(MIB));
    await vi.advanceTimersByTimeAsync(20);
    await new Promise((resolve) => setImmediate(resolve));
  }
  body.end();
  const { end, written } = await transfer.ended;
  expect([end, written.bytes]).toEqual(['complete', 64 * MIB]);
  expect(state.commits.length).toBeGreaterThan(1);
  expect(transfer.acked().bytes).toBe(state.commits.at(-1)![1]);
  expect(transfer.acked().bytes).toBeLessThan(64 * MIB);
});

test('acknowledges the bytes of a sender that sends no more until it hears of them', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const { body, transfer } = begin({ lengthBytes: 64 * MIB });
  await vi.advanceTimersByTimeAsync(50);
  for (let index = 0; index < 24; index += 1) body.write(Buffer.alloc(MIB));
  for (let step = 0; step < 20; step += 1) {
    await vi.advanceTimersByTimeAsync(10);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(transfer.acked().bytes).toBe(24 * MIB);
  body.destroy();
  expect(await transfer.ended).toMatchObject({ end: 'aborted', written: { bytes: 24 * MIB } });
});

test('a sender that waits with 16 MiB hears of them at once, however short the time since the checkpoint before', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const { body, transfer } = begin({ lengthBytes: 64 * MIB });
  const send = async (mib: number) => {
    for (let index = 0; index < mib; index += 1) body.write(Buffer.alloc(MIB));
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    return transfer.acked().bytes;
  };
  expect(await send(16)).toBe(16 * MIB);
  expect(await send(15)).toBe(16 * MIB);
  expect(await send(1)).toBe(32 * MIB);
  body.destroy();
  await transfer.ended;
});

test('each chunk is reported once it is written and hashed, and may be freed then', async () => {
  const bytes = Buffer.alloc(4 * MIB, 'satchel');
  const digest = createHash('sha256').update(bytes).digest();
  const { body, state, transfer } = begin({
    lengthBytes: bytes.length,
    checksum: { algorithm: 'sha256', digest },
    onWritten: freeChunk,
  });
  const chunks = [0, 1, 2, 3].map((at) => Uint8Array.from(bytes.subarray(at * MIB, (at + 1) * MIB)));
  for (const chunk of chunks) body.write(chunk);
  body.end();
  expect(await transfer.ended).toMatchObject({ end: 'complete', checksumMatches: true });
  expect(state.written).toBe(bytes.length);
  expect(chunks.map(({ buffer }) => buffer.byteLength)).toEqual([0, 0, 0, 0]);
});

test('what is acknowledged has the checksum of all bytes before it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const bytes = Buffer.from(Array.from({ length: 3 * MIB }, (_, at) => (at * 7 + (at >> 8)) % 251));
  const from = { bytes: MIB, sum: crc32(bytes.subarray(0, MIB)) };
  const { body, state, transfer } = begin({ lengthBytes: 4 * MIB, from, onWritten: freeChunk });
  for (let at = MIB; at < bytes.length; at += MIB / 4) {
    body.write(Uint8Array.from(bytes.subarray(at, at + MIB / 4)));
    await vi.advanceTimersByTimeAsync(300);
    await new Promise((resolve) => setImmediate(resolve));
  }
  body.destroy();
  const { written } = await transfer.ended;
  const of = (to: number) => crc32(bytes.subarray(0, to));
  expect(written).toEqual({ bytes: bytes.length, sum: of(bytes.length) });
  expect(state.commits.length).toBeGreaterThan(1);
  expect(state.sums).toEqual(state.commits.map(([, to]) => of(to)));
  expect(transfer.acked()).toEqual({ bytes: state.commits.at(-1)![1], sum: state.sums.at(-1) });
});

test('a refused commit ends the transfer with its error', async () => {
  const { body, transfer } = begin({
    lengthBytes: 64 * MIB,
    commit: () => Promise.reject(new AppError('upload.lost_lease')),
  });
  body.write(Buffer.alloc(MIB));
  await expect(transfer.ended).rejects.toMatchObject({ code: 'upload.lost_lease' });
  expect(transfer.acked().bytes).toBe(0);
});

test('a sender silent for a minute is stopped and its bytes are kept; until then the lease is renewed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const { body, state, transfer } = begin({ lengthBytes: MIB });
  body.write(Buffer.alloc(1000));
  await vi.advanceTimersByTimeAsync(50_000);
  expect(state.commits[0]).toEqual([0, 1000]);
  expect(state.commits.slice(1).every(([from, to]) => from === 1000 && to === 1000)).toBe(true);
  expect(state.commits.length).toBeGreaterThan(5);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(await transfer.ended).toMatchObject({
    end: 'stopped',
    written: { bytes: 1000 },
    stoppedBy: { code: 'upload.too_slow', keep: true },
  });
});

test('a sender that is slow but steady brings all of it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const { windowMs, minBytes } = MINIMUM_RATE;
  const { body, transfer } = begin({ lengthBytes: 4 * minBytes });
  // In three windows and a little more, a piece for each sixth of one.
  for (let piece = 0; piece < 20; piece += 1) {
    body.write(Buffer.alloc(minBytes / 5));
    await vi.advanceTimersByTimeAsync(windowMs / 6);
  }
  body.end();
  expect(await transfer.ended).toMatchObject({ end: 'complete', written: { bytes: 4 * minBytes } });
});
