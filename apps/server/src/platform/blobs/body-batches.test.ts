import { PassThrough, Readable } from 'node:stream';
import { KIB, MIB } from '@satchel/contract/limits';
import { describe, expect, test } from 'vitest';
import { type BodyBatches, createBodyBatches, freeChunk } from './body-batches.ts';
import { createReceiveBuffers, type ReceiveBuffers } from './receive-buffers.ts';

async function all(batches: BodyBatches): Promise<Buffer[]> {
  const taken: Buffer[] = [];
  for (let batch = await batches.next(); batch; batch = await batches.next()) taken.push(Buffer.concat(batch));
  return taken;
}

/** A body whose bytes are all available at once. */
function bodyOf(pieces: number, pieceBytes: number): PassThrough {
  const body = new PassThrough({ highWaterMark: Number.MAX_SAFE_INTEGER });
  for (let index = 0; index < pieces; index += 1) body.write(Buffer.alloc(pieceBytes, index));
  return body;
}

test('collects small pieces into large batches, in order, and ends complete', async () => {
  const body = bodyOf(100, 64 * KIB);
  body.end();
  const batches = createBodyBatches(body, 100 * 64 * KIB);
  const taken = await all(batches);
  for (const batch of taken.slice(0, -1)) {
    expect(batch.length).toBeGreaterThanOrEqual(512 * KIB);
    expect(batch.length).toBeLessThanOrEqual(4 * MIB + 64 * KIB);
  }
  const whole = Buffer.concat(taken);
  expect(whole.length).toBe(100 * 64 * KIB);
  expect(whole.every((byte, index) => byte === Math.floor(index / (64 * KIB)))).toBe(true);
  expect(batches.end()).toBe('complete');
});

test('pauses the sender while a batch waits', async () => {
  const body = bodyOf(200, 64 * KIB);
  const batches = createBodyBatches(body, Number.MAX_SAFE_INTEGER);
  await new Promise((resolve) => setImmediate(resolve));
  expect(body.isPaused()).toBe(true);
  const batch = await batches.next();
  expect(Buffer.concat(batch!).length).toBeLessThanOrEqual(4 * MIB + 64 * KIB);
  expect(body.isPaused()).toBe(false);
});

const tick = () => new Promise((resolve) => setImmediate(resolve));
const bytesIn = (batch: readonly Uint8Array[] | null) => Buffer.concat(batch ?? []).length;

describe('receive buffers that bodies share', () => {
  const read = Buffer.alloc(64 * KIB);
  /** Senders who always have more to send. */
  function openSenders(count: number, buffers: ReceiveBuffers) {
    return Array.from({ length: count }, () => {
      const body = new Readable({ read: () => void body.push(read) });
      return { body, batches: createBodyBatches(body, Number.MAX_SAFE_INTEGER, buffers) };
    });
  }

  /** Receive buffers that tell how much of them is held. */
  function countedBuffers() {
    const buffers = createReceiveBuffers(8 * MIB);
    const counted = { heldBytes: 0 };
    function enter() {
      const share = buffers.enter();
      return {
        ...share,
        take(bytes: number) {
          counted.heldBytes += bytes;
          share.take(bytes);
        },
        giveBack(bytes: number) {
          counted.heldBytes -= bytes;
          share.giveBack(bytes);
        },
      };
    }
    return Object.assign(counted, { enter });
  }

  test('holds what many senders may wait with, however many there are, and comes back when they leave', async () => {
    const buffers = countedBuffers();
    const senders = openSenders(50, buffers);
    await tick();
    expect(senders.every(({ body }) => body.isPaused())).toBe(true);
    // Each holds at most a read more than its share, which is at least a read.
    expect(buffers.heldBytes).toBeLessThanOrEqual(8 * MIB + 50 * 2 * 64 * KIB);
    for (const [at, { body, batches }] of senders.entries()) {
      if (at % 2 === 0) expect(bytesIn(await batches.next())).toBeGreaterThan(0);
      if (at % 3 === 0) body.destroy(new Error('reset'));
      if (at % 3 === 1) batches.stop(true);
    }
    await tick();
    for (const { batches } of senders) batches.close();
    expect(buffers.heldBytes).toBe(0);
  });

  test('gives a sender with one connection its share beside one with twenty that were there before', async () => {
    const buffers = createReceiveBuffers(8 * MIB);
    const twenty = openSenders(20, buffers);
    await tick();
    const [one] = openSenders(1, buffers);
    const written = { one: 0, twenty: 0 };
    // The disk takes the connections in turn.
    for (let turn = 0; turn < 10; turn += 1) {
      for (const { batches } of twenty) written.twenty += bytesIn(await batches.next());
      written.one += bytesIn(await one!.batches.next());
    }
    expect(written.one).toBeGreaterThan(written.twenty / 20 / 2);
  });

  test('leaves a slow sender memory beside fast ones, and a fast one memory beside one whose disk stands still', async () => {
    const buffers = createReceiveBuffers(8 * MIB);
    const still = openSenders(30, buffers);
    await tick();
    await Promise.all(still.map(({ batches }) => batches.next()));
    await tick();
    const slow = new PassThrough();
    const batches = createBodyBatches(slow, MIB, buffers);
    slow.write('few');
    expect(Buffer.concat((await batches.next())!).toString()).toBe('few');
    const [fast] = openSenders(1, buffers);
    let written = 0;
    while (written < 4 * MIB) written += bytesIn(await fast!.batches.next());
  });
});

test('returns the few bytes of a slow sender after a second, and an empty batch when none came', async () => {
  const body = new PassThrough();
  const batches = createBodyBatches(body, 100);
  body.write('few');
  expect(Buffer.concat((await batches.next())!).toString()).toBe('few');
  expect(await batches.next()).toEqual([]);
  body.end('!');
  expect((await all(batches)).join('')).toBe('!');
});

test('a body beyond the limit ends as too_long, and the excess is never returned', async () => {
  const body = bodyOf(3, 100);
  const batches = createBodyBatches(body, 250);
  const taken = Buffer.concat(await all(batches));
  expect(taken.length).toBeLessThanOrEqual(250);
  expect(batches.end()).toBe('too_long');
});

test('a body whose sender leaves ends as aborted, with the bytes it sent', async () => {
  const body = bodyOf(3, 100);
  const batches = createBodyBatches(body, 1000);
  await new Promise((resolve) => setImmediate(resolve));
  body.destroy(new Error('reset'));
  expect(Buffer.concat(await all(batches)).length).toBe(300);
  expect(batches.end()).toBe('aborted');
});

test('a body whose sender has left before ends as aborted at once', async () => {
  const body = new PassThrough();
  body.destroy();
  const batches = createBodyBatches(body, 1000);
  expect(await batches.next()).toBeNull();
  expect(batches.end()).toBe('aborted');
});

test.each([
  ['keeps', true, 300],
  ['deletes', false, 0],
])('stopping %s the bytes that have arrived', async (_, keep, bytes) => {
  const body = bodyOf(3, 100);
  const batches = createBodyBatches(body, 1000);
  await new Promise((resolve) => setImmediate(resolve));
  batches.stop(keep);
  expect(Buffer.concat(await all(batches)).length).toBe(bytes);
  expect(batches.end()).toBe('stopped');
});

test('a chunk that is the whole of its buffer gives its memory back', () => {
  const chunk = Buffer.alloc(64 * KIB);
  freeChunk(chunk);
  expect(chunk.buffer.byteLength).toBe(0);
});

test('a chunk that shares its buffer leaves it to the other readers', () => {
  const buffer = Buffer.alloc(64 * KIB, 7);
  const pooled = Buffer.from('a small one, of Node’s pool');
  for (const chunk of [buffer.subarray(0, 100), buffer.subarray(100), pooled]) freeChunk(chunk);
  expect(buffer.every((byte) => byte === 7)).toBe(true);
  expect(pooled.toString()).toBe('a small one, of Node’s pool');
});
