import { createCipheriv } from 'node:crypto';
import { mkdtempSync, openAsBlob, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeHeader } from '@satchel/container/format';
import { importKeys, newFolderKey } from '@satchel/container/key';
import { createOpener } from '@satchel/container/open';
import { createHeader, createSealer, sealStream } from '@satchel/container/seal';
import { GIB, KIB, MIB } from '@satchel/contract/limits';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPlainFile, createSealedFile, type VirtualFile } from './window-maker.ts';
import { createTagLedger } from './windows.ts';

type Bytes = Uint8Array<ArrayBuffer>;

function noise(sizeBytes: number): Bytes {
  const bytes = new Uint8Array(sizeBytes);
  for (let at = 0; at < sizeBytes; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  return bytes;
}

async function newSealer(sizeBytes: number) {
  const header = createHeader({ sizeBytes, name: 'a.bin', type: 'application/octet-stream' });
  return createSealer(await importKeys(newFolderKey()), encodeHeader(header));
}

/** The whole container at once: what every slice must agree with. */
async function wholeContainer(sealer: Awaited<ReturnType<typeof newSealer>>, blob: Blob): Promise<Bytes> {
  const parts: Bytes[] = [sealer.decoded.prefix];
  for await (const unit of sealStream(sealer, blob)) parts.push(...unit.map(({ bytes }) => bytes));
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

async function collect(virtual: VirtualFile, start: number, end: number) {
  const parts: Bytes[] = [];
  const tags = new Map<number, string>();
  await virtual.range(start, end, {
    onChunk: (index, tag) => tags.set(index, Buffer.from(tag).toString('hex')),
    write: (bytes) => parts.push(bytes.slice()),
  });
  return { bytes: new Uint8Array(await new Blob(parts).arrayBuffer()), tags };
}

const same = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0;

describe('the virtual encrypted file', () => {
  test.each([1, 100, 32 * KIB, 200 * KIB + 7, 3 * MIB + 11])(
    'gives the bytes of a whole seal for any slices, repeated and backward ones too (%d bytes)',
    async (sizeBytes) => {
      const blob = new Blob([noise(sizeBytes)]);
      const sealer = await newSealer(sizeBytes);
      const whole = await wholeContainer(sealer, blob);
      const virtual = createSealedFile(sealer, blob);
      expect(virtual.sizeBytes).toBe(whole.length);
      const place = fc.nat({ max: whole.length });
      const slices = fc.array(fc.tuple(place, place), { minLength: 1, maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(slices, async (wanted) => {
          for (const [a, b] of wanted) {
            const [start, end] = [Math.min(a, b), Math.max(a, b)];
            const { bytes } = await collect(virtual, start, end);
            expect(same(bytes, whole.subarray(start, end))).toBe(true);
          }
        }),
        { numRuns: 15 },
      );
      await virtual.close();
    },
  );

  test('walks forward in requests of any size without making a chunk twice', async () => {
    const sizeBytes = 2 * MIB + 5;
    const blob = new Blob([noise(sizeBytes)]);
    const sealer = await newSealer(sizeBytes);
    const whole = await wholeContainer(sealer, blob);
    const virtual = createSealedFile(sealer, blob);
    const made: number[] = [];
    const parts: Bytes[] = [];
    for (let at = 0; at < whole.length; at += 300_001) {
      const { bytes, tags } = await collect(virtual, at, Math.min(whole.length, at + 300_001));
      parts.push(bytes);
      made.push(...tags.keys());
    }
    expect(same(new Uint8Array(await new Blob(parts).arrayBuffer()), whole)).toBe(true);
    expect(made).toEqual(Array.from({ length: virtual.totalChunks }, (_, index) => index));
  });

  test('tells the tag of a chunk before its bytes, and again after a refusal', async () => {
    const blob = new Blob([noise(1000)]);
    const virtual = createSealedFile(await newSealer(1000), blob);
    const seen: string[] = [];
    const refusing = {
      onChunk: () => {
        seen.push('refused');
        throw new Error('no');
      },
      write: () => seen.push('written'),
    };
    const start = virtual.chunkStart(0);
    await expect(virtual.range(start, start + 10, refusing)).rejects.toThrow('no');
    await expect(virtual.range(start, start + 10, refusing)).rejects.toThrow('no');
    expect(seen).toEqual(['refused', 'refused']);
  });

  test('counts the chunks that have a byte before an offset', async () => {
    const virtual = createSealedFile(await newSealer(70_000), new Blob([noise(70_000)]));
    expect(virtual.chunksBefore(0)).toBe(0);
    expect(virtual.chunksBefore(virtual.chunkStart(0))).toBe(0);
    expect(virtual.chunksBefore(virtual.chunkStart(0) + 1)).toBe(1);
    expect(virtual.chunksBefore(virtual.chunkStart(1))).toBe(1);
    expect(virtual.chunksBefore(virtual.chunkStart(2) + 1)).toBe(3);
    expect(virtual.chunksBefore(virtual.sizeBytes)).toBe(3);
  });
});

describe('a file of 10 GiB', () => {
  const SIZE = 10 * GIB + 5;
  /** Zeros, made as they are read: Node's own Blob counts 32 bits. */
  const holeOf = (size: number): Blob =>
    ({
      size,
      slice: (start = 0, end = size) => holeOf(Math.min(size, end) - start),
      stream: () => {
        let left = size;
        return new ReadableStream<Uint8Array>({
          pull(controller) {
            if (left === 0) return controller.close();
            const piece = new Uint8Array(Math.min(left, MIB));
            left -= piece.length;
            controller.enqueue(piece);
          },
        });
      },
      arrayBuffer: async () => new ArrayBuffer(size),
    }) as unknown as Blob;
  const hole = holeOf(SIZE);

  test('is sealed far above 4 GiB as a cipher of another hand does, and opens there', async () => {
    const folderKey = newFolderKey();
    const keys = await importKeys(folderKey);
    const sealer = await createSealer(
      keys,
      encodeHeader(createHeader({ sizeBytes: SIZE, name: 'a.bin', type: 'application/octet-stream' })),
    );
    const { decoded } = sealer;
    const virtual = createSealedFile(sealer, hole);
    expect(virtual.totalChunks).toBe(10 * 1024 + 1);
    const opener = await createOpener(keys, decoded);
    for (const index of [4095, 4096, 9999, virtual.totalChunks - 1]) {
      const start = virtual.chunkStart(index);
      expect(start).toBe(decoded.prefix.length + index * (MIB + 52));
      expect([virtual.chunksBefore(start), virtual.chunksBefore(start + 1)]).toEqual([index, index + 1]);
      const { bytes } = await collect(virtual, start, Math.min(virtual.sizeBytes, start + MIB + 52));
      const counter = Buffer.concat([decoded.header.baseCounter, Buffer.alloc(8)]);
      counter.writeBigUInt64BE((BigInt(index) * BigInt(MIB)) / 16n, 8);
      const plain = new Uint8Array(bytes.length - 52);
      const cipher = createCipheriv('aes-256-ctr', folderKey.subarray(0, 32), counter).update(plain);
      expect(same(bytes.subarray(20, -32), cipher)).toBe(true);
      expect(same(await opener.openChunk(index, bytes), plain)).toBe(true);
    }
    await virtual.close();
  });

  test('has a digest for every 512 KiB when it is plain, and its bytes at any place', async () => {
    const virtual = createPlainFile(hole);
    expect([virtual.sizeBytes, virtual.totalChunks]).toEqual([SIZE, 20 * 1024 + 1]);
    const { bytes, tags } = await collect(virtual, SIZE - 10, SIZE);
    expect([bytes.length, ...tags.keys()]).toEqual([10, 20_479, 20_480]);
    const beyond = await collect(virtual, 2 ** 32 - 1, 2 ** 32 + 9);
    expect([beyond.bytes.length, ...beyond.tags.keys()]).toEqual([10, 8191, 8192]);
  });

  test('fits into a ledger of 32 bytes for each chunk, and is resumed beyond 4 GiB', async () => {
    const virtual = createPlainFile(hole);
    const onDisk = new Uint8Array(9000 * 32);
    const appended: [number, number][] = [];
    const ledger = createTagLedger(virtual.totalChunks, onDisk, async (first, tags) => {
      appended.push([first, tags.length]);
    });
    expect(ledger.logged()).toBe(9000);
    const tag = new Uint8Array(32).fill(7);
    for (let index = 0; index < 9000; index++) ledger.take(index, onDisk.slice(0, 32));
    for (let index = 9000; index < virtual.totalChunks; index++) ledger.take(index, tag);
    await ledger.flush();
    expect(appended).toEqual([[9000, (virtual.totalChunks - 9000) * 32]]);
    expect(ledger.verified()).toBe(virtual.totalChunks);
  });
});

describe('the plain file', () => {
  test('gives its own bytes, and one digest for every 512 KiB', async () => {
    const content = noise(MIB + 100);
    const virtual = createPlainFile(new Blob([content]));
    const { bytes, tags } = await collect(virtual, 10, MIB + 1);
    expect(same(bytes, content.subarray(10, MIB + 1))).toBe(true);
    expect([...tags.keys()]).toEqual([0, 1, 2]);
    const digest = await crypto.subtle.digest('SHA-256', content.subarray(512 * KIB, MIB));
    expect(tags.get(1)).toBe(Buffer.from(digest).toString('hex'));
    expect(virtual.totalChunks).toBe(3);
    expect(virtual.chunksBefore(512 * KIB)).toBe(1);
  });

  test('is read in ranges of any size and order', async () => {
    const content = noise(5 * MIB + 7);
    const virtual = createPlainFile(new Blob([content]));
    const place = fc.nat({ max: content.length });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(place, place), { minLength: 1, maxLength: 6 }), async (wanted) => {
        for (const [a, b] of wanted) {
          const [start, end] = [Math.min(a, b), Math.max(a, b)];
          expect(same((await collect(virtual, start, end)).bytes, content.subarray(start, end))).toBe(true);
        }
      }),
      { numRuns: 20 },
    );
    await virtual.close();
  });
});

describe('a file that changes on disk after it was chosen', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'virtual-file-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function changedFile() {
    const path = join(folder, 'a.bin');
    writeFileSync(path, noise(1000));
    const blob = await openAsBlob(path);
    writeFileSync(path, noise(2000));
    return blob;
  }

  test('is reported as such when it is sealed', async () => {
    const virtual = createSealedFile(await newSealer(1000), await changedFile());
    await expect(collect(virtual, 0, virtual.sizeBytes)).rejects.toMatchObject({ code: 'upload.changed_file' });
  });

  test('is reported as such even where the stream that is open would read on', async () => {
    const path = join(folder, 'a.bin');
    writeFileSync(path, noise(3 * MIB));
    const virtual = createSealedFile(await newSealer(3 * MIB), await openAsBlob(path));
    await collect(virtual, 0, 100_000);
    writeFileSync(path, noise(3 * MIB));
    utimesSync(path, 1, 1);
    await expect(collect(virtual, 100_000, 200_000)).rejects.toMatchObject({ code: 'upload.changed_file' });
    await virtual.close();
  });

  test('is reported as such in a plain folder', async () => {
    const virtual = createPlainFile(await changedFile());
    await expect(collect(virtual, 0, 1000)).rejects.toMatchObject({ code: 'upload.changed_file' });
  });

  test('is a size mismatch when it is shorter than the header says', async () => {
    const virtual = createSealedFile(await newSealer(1000), new Blob([noise(999)]));
    await expect(collect(virtual, 0, virtual.sizeBytes)).rejects.toMatchObject({ code: 'upload.stream_size' });
  });
});
