import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, symlink, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { KIB, MIB } from '@satchel/contract/limits';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BlobMissingError, type BlobStore } from './blobs.ts';
import { createDiskBlobs } from './blobs-disk.ts';

let root: string;
let dir: string;
let blobs: BlobStore;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'satchel-blobs-'));
  dir = join(root, 'not', 'made', 'yet');
  blobs = createDiskBlobs({ dir });
});
afterAll(() => rm(root, { recursive: true, force: true }));

const pathOf = (blobKey: string) => join(dir, blobKey.slice(0, 2), blobKey);

async function blobOf(...pieces: Uint8Array[]): Promise<string> {
  const blobKey = randomUUID();
  await blobs.create(blobKey);
  const writer = await blobs.append(blobKey, 0);
  await writer.write(pieces);
  await writer.sync();
  await writer.close();
  return blobKey;
}

describe('writing', () => {
  test('continues at the offset of the writer, also with more pieces than one system call takes', async () => {
    const pieces = Array.from({ length: 3000 }, (_, index) => randomBytes(1 + (index % 7)));
    const blobKey = await blobOf(...pieces);
    const tail = randomBytes(100);
    const whole = Buffer.concat([...pieces, tail]);
    const writer = await blobs.append(blobKey, whole.length - 100);
    await writer.write([tail.subarray(0, 40)]);
    await writer.write([tail.subarray(40)]);
    await writer.close();
    expect(Buffer.compare(await readFile(pathOf(blobKey)), whole)).toBe(0);
  });

  test('truncates bytes beyond the offset', async () => {
    const blobKey = await blobOf(Buffer.from('acknowledged, and not acknowledged'));
    const writer = await blobs.append(blobKey, 12);
    await writer.close();
    expect(await readFile(pathOf(blobKey), 'utf8')).toBe('acknowledged');
  });

  test('refuses an offset beyond the end', async () => {
    const blobKey = await blobOf(Buffer.from('short'));
    await expect(blobs.append(blobKey, 6)).rejects.toThrow(BlobMissingError);
    await expect(blobs.append(randomUUID(), 0)).rejects.toThrow(BlobMissingError);
  });

  test('a full disk is storage.full', async () => {
    const blobKey = await blobOf();
    await rm(pathOf(blobKey));
    await symlink('/dev/full', pathOf(blobKey));
    const writer = await blobs.append(blobKey, 0);
    await expect(writer.write([randomBytes(10)])).rejects.toMatchObject({ code: 'storage.full' });
    await writer.close();
  });

  test('many syncs take turns, and one that fails keeps no other waiting', async () => {
    const writers = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const blobKey = randomUUID();
        await blobs.create(blobKey);
        return blobs.append(blobKey, 0);
      }),
    );
    await writers[3]!.close();
    const outcomes = await Promise.allSettled(writers.map((writer) => writer.sync()));
    expect(outcomes.map(({ status }) => status === 'rejected')).toEqual(writers.map((_, at) => at === 3));
    await Promise.all(writers.map((writer, at) => (at === 3 ? null : writer.close())));
  });

  test('only the server’s own user may read a blob', async () => {
    const { mode } = await stat(pathOf(await blobOf(Buffer.from('x'))));
    expect(mode & 0o777).toBe(0o600);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
  });
});

describe('reading', () => {
  test('sends any range to a slow receiver, unharmed by the reuse of buffers', async () => {
    const bytes = randomBytes(3 * 512 * KIB + 7);
    const reader = await blobs.open(await blobOf(bytes));
    expect(reader.sizeBytes).toBe(bytes.length);
    for (const [start, end] of [
      [0, bytes.length],
      [1, 2],
      [512 * KIB - 1, 1024 * KIB + 1],
      [5, 5],
    ] as const) {
      const received: Buffer[] = [];
      const sink = new Writable({
        write(chunk: Buffer, _encoding, done) {
          // Like a socket: reads the memory until it calls back, and not after.
          setTimeout(() => {
            received.push(Buffer.from(chunk));
            done();
          }, 5);
        },
      });
      await reader.send({ start, end }, sink);
      expect(Buffer.compare(Buffer.concat(received), bytes.subarray(start, end))).toBe(0);
    }
    await reader.close();
  });

  test('holds little memory for each of many stalled receivers, and full buffers for one alone', async () => {
    const crowded = createDiskBlobs({ dir, sendBudgetBytes: 4 * MIB });
    const blobKey = await blobOf(randomBytes(2 * MIB));
    const send = async (take: (chunk: Uint8Array, done: () => void) => void) => {
      const sink = new Writable({ write: (chunk: Uint8Array, _encoding, done) => take(chunk, done) });
      const blob = await crowded.open(blobKey);
      const ended = blob.send({ start: 0, end: 2 * MIB }, sink).then(
        () => 'whole',
        () => 'cut',
      );
      return { sink, ended: ended.finally(() => blob.close()) };
    };
    const taken: Uint8Array[] = [];
    const stuck = await Promise.all(Array.from({ length: 100 }, () => send((chunk) => taken.push(chunk))));
    await expect.poll(() => taken.length).toBe(stuck.length);
    const held = taken.reduce((bytes, chunk) => bytes + 2 * chunk.length, 0);
    expect(held).toBeLessThan(24 * MIB);
    for (const { sink } of stuck) sink.destroy();
    await Promise.all(stuck.map(({ ended }) => ended));
    let largest = 0;
    const alone = await send((chunk, done) => {
      largest = Math.max(largest, chunk.length);
      done();
    });
    expect(await alone.ended).toBe('whole');
    expect(largest).toBe(512 * KIB);
  });

  test('gives its buffers back once the receiver has taken all, and not to a receiver that failed', async () => {
    const reader = await blobs.open(await blobOf(randomBytes(3 * 512 * KIB)));
    const range = { start: 0, end: reader.sizeBytes };
    const taken: Uint8Array[] = [];
    await reader.send(
      range,
      new Writable({
        write(chunk: Uint8Array, _encoding, done) {
          taken.push(chunk);
          setImmediate(done);
        },
      }),
    );
    expect(taken.map(({ buffer }) => buffer.byteLength)).toEqual([0, 0, 0, 0]);

    const kept: Uint8Array[] = [];
    const failing = new Writable({ write: (chunk: Uint8Array) => void kept.push(chunk) });
    setTimeout(() => failing.destroy(), 20);
    await expect(reader.send(range, failing)).rejects.toThrow('The receiver is gone');
    expect(kept.map(({ length }) => length)).toEqual([64 * KIB]);
    await reader.close();
  });

  test('fails when the blob ends early', async () => {
    const blobKey = await blobOf(randomBytes(2000));
    const reader = await blobs.open(blobKey);
    await truncate(pathOf(blobKey), 1000);
    const sink = new PassThrough();
    sink.resume();
    await expect(reader.send({ start: 0, end: 2000 }, sink)).rejects.toThrow(BlobMissingError);
    await reader.close();
  });

  test('fails when the receiver leaves, before or during the transfer, and leaves nothing open', async () => {
    const reader = await blobs.open(await blobOf(randomBytes(4 * 512 * KIB)));
    const range = { start: 0, end: reader.sizeBytes };
    const gone = new PassThrough();
    gone.destroy();
    await expect(reader.send(range, gone)).rejects.toThrow();
    // Takes nothing and never calls back.
    const stuck = new Writable({ write: () => undefined });
    setTimeout(() => stuck.destroy(), 20);
    await expect(reader.send(range, stuck)).rejects.toThrow('The receiver is gone');
    await reader.close();
  });

  test('a deleted blob is missing; deleting it again does nothing', async () => {
    const blobKey = await blobOf(Buffer.from('x'));
    await blobs.delete(blobKey);
    await blobs.delete(blobKey);
    await expect(blobs.open(blobKey)).rejects.toThrow(BlobMissingError);
  });
});
