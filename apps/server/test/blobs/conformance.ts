import { randomBytes, randomUUID } from 'node:crypto';
import { PassThrough, Writable } from 'node:stream';
import { KIB, MIB } from '@satchel/contract/limits';
import { describe, expect, test } from 'vitest';
import {
  BlobMissingError,
  type BlobPart,
  type BlobParts,
  type BlobStore,
  partsOf,
  type StoredPart,
  WHOLE,
  wholeBlob,
} from '../../src/platform/blobs/blobs.ts';

/** What every store of blobs must do, and what is asked of a further one. */

/** An upload as the database keeps it: what is acknowledged, and the parts that have rows. */
interface Acknowledged extends BlobParts {
  readonly bytes: number;
}

const nothingOf = (blobKey: string): Acknowledged => ({ blobKey, parts: [], bytes: 0 });

/** Begins to write where an upload was acknowledged, as a request or another node does. */
const begin = (blobs: BlobStore, { bytes, ...blob }: Acknowledged, epoch: number) =>
  blobs.append({ blobKey: blob.blobKey, epoch, offsetBytes: bytes, last: partsOf(blob).at(-1)! });

const extended = (before: Acknowledged, parts: readonly BlobPart[], bytes: number): Acknowledged => ({
  blobKey: before.blobKey,
  parts: [...before.parts, ...parts],
  bytes,
});

/** Writes and acknowledges each piece by itself. */
export async function writePieces(
  blobs: BlobStore,
  before: Acknowledged,
  epoch: number,
  pieces: readonly Uint8Array[],
): Promise<Acknowledged> {
  const writer = await begin(blobs, before, epoch);
  let now = before;
  for (const piece of pieces) {
    await writer.write([piece]);
    const bytes = now.bytes + piece.length;
    now = extended(now, await writer.sync(bytes), bytes);
  }
  await writer.close();
  return now;
}

/** Reads a range as a download does, from memory that is reused. */
async function sent(blobs: BlobStore, { bytes, ...blob }: Acknowledged, start = 0, end = bytes): Promise<Buffer> {
  const reader = await blobs.open(blob, bytes);
  const received: Buffer[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      setImmediate(() => {
        received.push(Buffer.from(chunk));
        done();
      });
    },
  });
  await reader.send({ start, end }, sink).finally(() => reader.close());
  return Buffer.concat(received);
}

async function listed(blobs: BlobStore, prefix: string): Promise<StoredPart[]> {
  const found: StoredPart[] = [];
  for await (const part of blobs.list(prefix)) found.push(part);
  return found;
}

const isSame = (actual: Uint8Array, expected: Uint8Array) => expect(Buffer.compare(actual, expected)).toBe(0);

/** @param reopened the same store as another process sees it */
export function describeStore(name: string, store: () => BlobStore, reopened: () => BlobStore): void {
  describe(`${name} keeps the contract of stores`, () => {
    test('a blob that is put whole is read whole and in ranges, by every process', async () => {
      const bytes = randomBytes(3 * 512 * KIB + 7);
      const blob = { ...wholeBlob(randomUUID()), bytes: bytes.length };
      await store().put(blob.blobKey, [bytes.subarray(0, 5), bytes.subarray(5)]);
      isSame(await sent(reopened(), blob), bytes);
      for (const [start, end] of [
        [1, 2],
        [512 * KIB - 1, 1024 * KIB + 1],
        [bytes.length - 1, bytes.length],
        [5, 5],
      ] as const) {
        isSame(await sent(store(), blob, start, end), bytes.subarray(start, end));
        const reader = await store().open(blob, bytes.length);
        if (start < end) isSame(await reader.read({ start, end }), bytes.subarray(start, end));
        await reader.close();
      }
    });

    test('a blob without bytes is one', async () => {
      const blobKey = randomUUID();
      await store().put(blobKey, []);
      expect(await sent(store(), nothingOf(blobKey))).toHaveLength(0);
    });

    test('any offset is acknowledged as durable: another process reads it, and continues from there', async () => {
      const bytes = randomBytes(MIB);
      const cuts = [1, 2, 1000, 64 * KIB, 64 * KIB + 1, MIB - 1, MIB];
      const pieces = cuts.map((end, at) => bytes.subarray(cuts[at - 1] ?? 0, end));
      const first = await writePieces(store(), nothingOf(randomUUID()), 1, pieces.slice(0, 3));
      isSame(await sent(reopened(), first), bytes.subarray(0, first.bytes));
      const second = await writePieces(reopened(), first, 2, pieces.slice(3, 5));
      const third = await writePieces(store(), second, 3, pieces.slice(5));
      expect(third.bytes).toBe(MIB);
      isSame(await sent(reopened(), third), bytes);
      isSame(await sent(reopened(), third, 999, 64 * KIB + 5), bytes.subarray(999, 64 * KIB + 5));
    });

    test('acknowledges less than was written, and gives the rest its part later', async () => {
      const bytes = randomBytes(20 * MIB);
      const before = nothingOf(randomUUID());
      const writer = await begin(store(), before, 1);
      for (let at = 0; at < bytes.length; at += MIB) await writer.write([bytes.subarray(at, at + MIB)]);
      const early = extended(before, await writer.sync(MIB), MIB);
      isSame(await sent(reopened(), early), bytes.subarray(0, MIB));
      const later = extended(early, await writer.sync(bytes.length), bytes.length);
      await writer.close();
      isSame(await sent(reopened(), later), bytes);
      // As if only the first acknowledgement had reached the database.
      const other = randomBytes(100);
      const resumed = await writePieces(reopened(), early, 2, [other]);
      isSame(await sent(store(), resumed), Buffer.concat([bytes.subarray(0, MIB), other]));
    });

    test('bytes that were not acknowledged are no part of what follows, discarded or not', async () => {
      for (const discards of [true, false]) {
        const before = await writePieces(store(), nothingOf(randomUUID()), 1, [Buffer.from('kept')]);
        const lost = await begin(store(), before, 2);
        await lost.write([Buffer.from(' and lost')]);
        if (discards) await lost.discard(before.bytes);
        await lost.close();
        const after = await writePieces(discards ? store() : reopened(), before, 3, [Buffer.from(', and more')]);
        expect((await sent(store(), after)).toString()).toBe('kept, and more');
      }
    });

    test('a stale writer changes nothing that a newer one has acknowledged', async () => {
      const start = await writePieces(store(), nothingOf(randomUUID()), 1, [Buffer.from('begun ')]);
      for (const before of [nothingOf(randomUUID()), start]) {
        const stale = await begin(store(), before, 2);
        await stale.write([Buffer.from('STALE')]);
        const now = await writePieces(reopened(), before, 3, [Buffer.from('newer')]);
        await stale.write([Buffer.from('STALE AND LONGER')]);
        await stale.sync(before.bytes + 21);
        const text = before === start ? 'begun newer' : 'newer';
        expect((await sent(store(), now)).toString()).toBe(text);
        await stale.discard(before.bytes);
        await stale.close();
        expect((await sent(store(), now)).toString()).toBe(text);
        const later = await writePieces(store(), now, 4, [Buffer.from(' still')]);
        expect((await sent(reopened(), later)).toString()).toBe(`${text} still`);
      }
    });

    test('the memory of what was written may be reused at once', async () => {
      const piece = Buffer.from('first');
      const before = nothingOf(randomUUID());
      const writer = await begin(store(), before, 1);
      await writer.write([piece]);
      piece.fill('x');
      const after = extended(before, await writer.sync(5), 5);
      await writer.close();
      expect((await sent(store(), after)).toString()).toBe('first');
    });

    test('a blob that is not there, or lacks bytes, is missing', async () => {
      const lost = async (blob: Acknowledged) => sent(store(), blob);
      await expect(lost({ ...nothingOf(randomUUID()), bytes: 5 })).rejects.toThrow(BlobMissingError);
      const blobKey = randomUUID();
      await store().put(blobKey, [Buffer.from('short')]);
      await expect(lost({ ...wholeBlob(blobKey), bytes: 6 })).rejects.toThrow(BlobMissingError);
      const gone = [{ start: 3, name: '7' }];
      await expect(lost({ blobKey, parts: gone, bytes: 5 })).rejects.toThrow(BlobMissingError);
    });

    test('fails when the receiver leaves, before or during the transfer', async () => {
      const blob = wholeBlob(randomUUID());
      await store().put(blob.blobKey, [randomBytes(2 * MIB)]);
      const range = { start: 0, end: 2 * MIB };
      const reader = await store().open(blob, range.end);
      const gone = new PassThrough();
      gone.destroy();
      await expect(reader.send(range, gone)).rejects.toThrow();
      // Takes nothing, and leaves without calling back.
      const stuck = new Writable({ write: () => void setImmediate(() => stuck.destroy()) });
      await expect(reader.send(range, stuck)).rejects.toThrow('The receiver is gone');
      await reader.close();
    });

    test('lists parts with size and age, by the beginning of their blobs’ names', async () => {
      const blob = await writePieces(store(), nothingOf(randomUUID()), 1, [Buffer.from('one')]);
      const both = await writePieces(reopened(), blob, 2, [Buffer.from('two')]);
      const of = (prefix: string) => listed(store(), prefix);
      const found = (await of(blob.blobKey)).filter(({ blob_key }) => blob_key === blob.blobKey);
      const names = partsOf(both).map(({ name }) => name);
      expect(found.map(({ name }) => name).sort()).toEqual([...names].sort());
      expect(found.map(({ sizeBytes }) => sizeBytes)).toEqual([3, 3]);
      for (const { ageMs } of found) expect(Math.abs(ageMs)).toBeLessThan(3_600_000);
      for (const length of [0, 1, 2]) {
        const wide = (await of(blob.blobKey.slice(0, length))).filter(({ blob_key }) => blob_key === blob.blobKey);
        expect(wide).toHaveLength(2);
      }
      const other = blob.blobKey.startsWith('0') ? '1' : '0';
      expect((await of(other + blob.blobKey[1])).filter(({ blob_key }) => blob_key === blob.blobKey)).toEqual([]);
    });

    test('deletes blobs with all of their parts; deleting them again does nothing', async () => {
      const [first, other] = await Promise.all(
        [1, 2].map(() => writePieces(store(), nothingOf(randomUUID()), 1, [randomBytes(10), randomBytes(10)])),
      );
      const second = await writePieces(reopened(), first!, 2, [randomBytes(10)]);
      const kept = randomUUID();
      await store().put(kept, [Buffer.from('kept')]);
      const all = [second, other!, wholeBlob(randomUUID())];
      expect([...(await store().delete(all))]).toEqual([]);
      expect([...(await reopened().delete(all))]).toEqual([]);
      for (const { blobKey } of all) expect(await listed(store(), blobKey)).toEqual([]);
      await expect(sent(store(), second)).rejects.toThrow(BlobMissingError);
      expect((await sent(store(), { ...wholeBlob(kept), bytes: 4 })).toString()).toBe('kept');
    });

    test('deletes parts that belong to no blob', async () => {
      const blobKey = randomUUID();
      await store().put(blobKey, [Buffer.from('whole')]);
      const [part] = await listed(store(), blobKey);
      expect(part?.name).toBe(WHOLE);
      await store().deleteParts([part!]);
      expect(await listed(store(), blobKey)).toEqual([]);
    });
  });
}
