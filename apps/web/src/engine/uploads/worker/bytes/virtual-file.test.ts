import { mkdtempSync, openAsBlob, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeHeader } from '@satchel/container/format';
import { importKeys, newFolderKey } from '@satchel/container/key';
import { createHeader, createSealer, sealStream } from '@satchel/container/seal';
import { KIB, MIB } from '@satchel/contract/limits';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPlainFile } from './plain-file.ts';
import { createSealedFile, type VirtualFile } from './virtual-file.ts';

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

describe('the plain file', () => {
  test('hands out slices of the file itself, or its bytes, and one digest for every 512 KiB', async () => {
    const content = noise(MIB + 100);
    const virtual = createPlainFile(new Blob([content]));
    const slice = virtual.stored(10, 900_000);
    expect(same(new Uint8Array(await slice!.arrayBuffer()), content.subarray(10, 900_000))).toBe(true);
    const { bytes, tags } = await collect(virtual, 10, MIB + 1);
    expect(same(bytes, content.subarray(10, MIB + 1))).toBe(true);
    expect([...tags.keys()]).toEqual([0, 1, 2]);
    const digest = await crypto.subtle.digest('SHA-256', content.subarray(512 * KIB, MIB));
    expect(tags.get(1)).toBe(Buffer.from(digest).toString('hex'));
    expect(virtual.totalChunks).toBe(3);
    expect(virtual.chunksBefore(512 * KIB)).toBe(1);
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
