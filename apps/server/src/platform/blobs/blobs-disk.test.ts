import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rename, rm, stat, symlink, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { KIB, MIB } from '@satchel/contract/limits';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeStore } from '../../../test/blobs/conformance.ts';
import { watchSyncs } from '../../../test/support/blobs/folder-syncs.ts';
import { BlobMissingError, type BlobParts, type BlobStore, WHOLE, wholeBlob } from './blobs.ts';
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

/** Where a writer of a new blob begins. */
const first = (blobKey: string) => ({ blobKey, epoch: 1, offsetBytes: 0, last: { start: 0, name: WHOLE } });

async function blobOf(...pieces: Uint8Array[]): Promise<BlobParts> {
  const blobKey = randomUUID();
  await blobs.put(blobKey, pieces);
  return wholeBlob(blobKey);
}

describeStore(
  'the disk',
  () => blobs,
  () => createDiskBlobs({ dir }),
);

describe('writing', () => {
  test('continues in the same file, also with more pieces than one system call takes', async () => {
    const pieces = Array.from({ length: 3000 }, (_, index) => randomBytes(1 + (index % 7)));
    const blobKey = randomUUID();
    const writer = await blobs.append(first(blobKey));
    await writer.write(pieces);
    const offsetBytes = Buffer.concat(pieces).length;
    expect(await writer.sync(offsetBytes)).toEqual([]);
    await writer.close();
    const tail = randomBytes(100);
    const again = await blobs.append({ ...first(blobKey), epoch: 2, offsetBytes });
    await again.write([tail.subarray(0, 40)]);
    await again.write([tail.subarray(40)]);
    expect(await again.sync(offsetBytes + 100)).toEqual([]);
    await again.close();
    expect(Buffer.compare(await readFile(pathOf(blobKey)), Buffer.concat([...pieces, tail]))).toBe(0);
  });

  test('truncates its own bytes beyond the offset, and none of another process', async () => {
    const blobKey = randomUUID();
    const writer = await blobs.append(first(blobKey));
    await writer.write([Buffer.from('acknowledged, and not acknowledged')]);
    await writer.sync(34);
    await writer.close();
    const where = { ...first(blobKey), epoch: 2, offsetBytes: 12 };
    await (await createDiskBlobs({ dir }).append(where)).close();
    expect((await stat(pathOf(blobKey))).size).toBe(34);
    await (await blobs.append({ ...where, epoch: 3 })).close();
    expect(await readFile(pathOf(blobKey), 'utf8')).toBe('acknowledged');
  });

  test('never continues in a file whose sync failed: the next success could be without its bytes', async () => {
    const blobKey = randomUUID();
    const writer = await blobs.append(first(blobKey));
    await writer.write([Buffer.from('kept')]);
    await writer.sync(4);
    await writer.close();
    const path = pathOf(blobKey);
    await rename(path, `${path}.aside`);
    // It takes every byte, and no sync.
    await symlink('/dev/null', path);
    const failing = await blobs.append({ ...first(blobKey), epoch: 2 });
    await failing.write([Buffer.from('dropped')]);
    await expect(failing.sync(7)).rejects.toThrow();
    await failing.close();
    await rename(`${path}.aside`, path);
    const again = await blobs.append({ ...first(blobKey), offsetBytes: 4, epoch: 3 });
    await again.write([Buffer.from(' on')]);
    expect(await again.sync(7)).toEqual([{ start: 4, name: '3' }]);
    await again.close();
  });

  test('refuses an offset beyond the end', async () => {
    const { blobKey } = await blobOf(Buffer.from('short'));
    const where = { ...first(blobKey), epoch: 2, offsetBytes: 6 };
    await expect(blobs.append(where)).rejects.toThrow(BlobMissingError);
    await expect(blobs.append({ ...where, blobKey: randomUUID() })).rejects.toThrow(BlobMissingError);
  });

  test('a full disk is storage.full', async () => {
    const blobKey = randomUUID();
    const empty = await blobs.append(first(blobKey));
    await empty.sync(0);
    await empty.close();
    await rm(pathOf(blobKey));
    await symlink('/dev/full', pathOf(blobKey));
    const writer = await blobs.append({ ...first(blobKey), epoch: 2 });
    await expect(writer.write([randomBytes(10)])).rejects.toMatchObject({ code: 'storage.full' });
    await writer.close();
  });

  test('many syncs take turns, and one that fails keeps no other waiting', async () => {
    const writers = await Promise.all(Array.from({ length: 10 }, () => blobs.append(first(randomUUID()))));
    await writers[3]!.close();
    const outcomes = await Promise.allSettled(writers.map((writer) => writer.sync(0)));
    expect(outcomes.map(({ status }) => status === 'rejected')).toEqual(writers.map((_, at) => at === 3));
    await Promise.all(writers.map((writer, at) => (at === 3 ? null : writer.close())));
  });

  test('only the server’s own user may read a blob', async () => {
    const { mode } = await stat(pathOf((await blobOf(Buffer.from('x'))).blobKey));
    expect(mode & 0o777).toBe(0o600);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
  });
});

describe('names', () => {
  const inShard = (shard: string) => shard + randomUUID().slice(2);
  async function newStore() {
    const own = await mkdtemp(join(root, 'names-'));
    return { own, store: createDiskBlobs({ dir: own }), syncs: await watchSyncs(own) };
  }

  test('a file is acknowledged once the folder is durable that another upload has just made', async () => {
    const { store, syncs } = await newStore();
    await store.put(inShard('cd'), [Buffer.from('x')]);
    const order: string[] = [];
    const held = syncs.hold();
    const maker = store.put(inShard('ab'), [Buffer.from('x')]);
    await held.begun;
    const whole = store.put(inShard('ab'), [Buffer.from('x')]).then(() => order.push('stored'));
    const begins = store.append(first(inShard('ab'))).then(async (writer) => {
      await writer.sync(0).then(() => order.push('stored'));
      await writer.close();
    });
    // At the same time others are stored, one after the other.
    for (let index = 0; index < 20; index += 1) await store.put(inShard('cd'), [Buffer.from('x')]);
    order.push('named');
    held.release();
    await Promise.all([maker, whole, begins]);
    expect(order).toEqual(['named', 'stored', 'stored']);
  });

  test('a folder that was there is synced into its own once by each process, and by no file after', async () => {
    const { own, store, syncs } = await newStore();
    await store.put(inShard('ab'), [Buffer.from('x')]);
    expect(syncs.count()).toBe(1);
    // As after a process that was killed between making the folder and its sync.
    const next = createDiskBlobs({ dir: own });
    for (let index = 0; index < 5; index += 1) await next.put(inShard('ab'), [Buffer.from('x')]);
    expect(syncs.count()).toBe(2);
  });

  test('a folder that was deleted by hand is made again', async () => {
    const { own, store, syncs } = await newStore();
    for (const times of [1, 2]) {
      await store.put(inShard('ab'), [Buffer.from('x')]);
      expect(syncs.count()).toBe(times);
      await rm(join(own, 'ab'), { recursive: true });
    }
  });
});

describe('reading', () => {
  test('holds little memory for each of many stalled receivers, and full buffers for one alone', async () => {
    const crowded = createDiskBlobs({ dir, sendBudgetBytes: 4 * MIB });
    const stored = await blobOf(randomBytes(2 * MIB));
    const send = async (take: (chunk: Uint8Array, done: () => void) => void) => {
      const sink = new Writable({ write: (chunk: Uint8Array, _encoding, done) => take(chunk, done) });
      const blob = await crowded.open(stored, 2 * MIB);
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
    const range = { start: 0, end: 3 * 512 * KIB };
    const reader = await blobs.open(await blobOf(randomBytes(range.end)), range.end);
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
    const failing = new Writable({
      write(chunk: Uint8Array) {
        kept.push(chunk);
        setImmediate(() => failing.destroy());
      },
    });
    await expect(reader.send(range, failing)).rejects.toThrow('The receiver is gone');
    expect(kept.map(({ length }) => length)).toEqual([64 * KIB]);
    await reader.close();
  });

  test('refuses a blob whose first part is cut or missing before anything is sent', async () => {
    const blobKey = randomUUID();
    for (const [epoch, offsetBytes] of [
      [1, 0],
      [2, 5],
    ] as const) {
      const writer = await createDiskBlobs({ dir }).append({ ...first(blobKey), epoch, offsetBytes });
      await writer.write([Buffer.from('bytes')]);
      await writer.sync(offsetBytes + 5);
      await writer.close();
    }
    const blob = { blobKey, parts: [{ start: 5, name: '2' }] };
    await (await blobs.open(blob, 10)).close();
    await truncate(pathOf(blobKey), 4);
    await expect(blobs.open(blob, 10)).rejects.toThrow(BlobMissingError);
    await rm(pathOf(blobKey));
    await expect(blobs.open(blob, 10)).rejects.toThrow(BlobMissingError);
  });

  test('fails when the blob ends early', async () => {
    const blob = await blobOf(randomBytes(2000));
    const reader = await blobs.open(blob, 2000);
    await truncate(pathOf(blob.blobKey), 1000);
    const sink = new PassThrough();
    sink.resume();
    await expect(reader.send({ start: 0, end: 2000 }, sink)).rejects.toThrow(BlobMissingError);
    await reader.close();
  });
});
