import { mkdtempSync, openAsBlob, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@satchel/contract/errors';
import { afterAll, describe, expect, test } from 'vitest';
import { encodeHeader } from './format.ts';
import { importKeys, newFolderKey } from './key.ts';
import { createHeader, createSealer, type SealedChunk, sealStream } from './seal.ts';

const keys = await importKeys(newFolderKey());
const SIZE = 100_000;
const decoded = encodeHeader(createHeader({ sizeBytes: SIZE, name: 'a.bin', type: '' }));
const folder = mkdtempSync(join(tmpdir(), 'container-'));
afterAll(() => rmSync(folder, { recursive: true }));

const sealAll = async (blob: Blob): Promise<SealedChunk[]> => {
  const chunks: SealedChunk[] = [];
  for await (const unit of sealStream(await createSealer(keys, decoded), blob)) chunks.push(...unit);
  return chunks;
};

describe('createHeader', () => {
  test('leaves name and type out if names are hidden', () => {
    const header = createHeader({ sizeBytes: 5, name: 'secret.png', type: 'image/png', hidesName: true });
    expect(header).toMatchObject({ originalName: 'file', originalType: 'application/octet-stream' });
    expect(Buffer.from(encodeHeader(header).prefix).toString()).not.toMatch(/secret|image/);
  });

  test('never gives the same baseCounter twice', () => {
    const counters = Array.from({ length: 100 }, () =>
      createHeader({ sizeBytes: 5, name: 'a', type: '' }).baseCounter.join(),
    );
    expect(new Set(counters).size).toBe(100);
  });

  test.each([
    [1, 32],
    [2 ** 20, 64],
    [10 * 2 ** 20, 128],
    [100 * 2 ** 20, 256],
    [2 ** 30, 512],
    [10 * 2 ** 30, 1024],
  ])('gives a file of %i bytes chunks of %i KiB', (sizeBytes, kib) => {
    const header = createHeader({ sizeBytes, name: 'a', type: '' });
    expect(header.chunkSize).toBe(kib * 1024);
    expect(header.totalChunks).toBe(Math.ceil(sizeBytes / header.chunkSize));
  });
});

describe('sealStream', () => {
  const mismatch = new AppError('upload.stream_size');

  test('refuses a blob that is shorter or longer than the header says', async () => {
    await expect(sealAll(new Blob([new Uint8Array(SIZE - 1)]))).rejects.toThrowError(mismatch);
    await expect(sealAll(new Blob([new Uint8Array(SIZE + 1)]))).rejects.toThrowError(mismatch);
  });

  test('refuses a file on disk that was cut or has grown since it was chosen', async () => {
    const path = join(folder, 'changing');
    for (const size of [SIZE - 1, SIZE + 1, 0]) {
      writeFileSync(path, new Uint8Array(SIZE));
      const blob = await openAsBlob(path);
      writeFileSync(path, new Uint8Array(size));
      expect(blob.size).toBe(SIZE);
      await expect(sealAll(blob)).rejects.toThrowError(mismatch);
    }
  });

  test('refuses a blob whose stream gives fewer bytes than its size', async () => {
    for (const given of [SIZE - 1, 32_768, 0]) {
      const blob = new Blob([new Uint8Array(SIZE)]);
      const short = Object.assign(blob, { slice: () => new Blob([new Uint8Array(given)]) });
      await expect(sealAll(short)).rejects.toThrowError(mismatch);
    }
  });

  test('gives back buffers that later chunks do not overwrite', async () => {
    const chunks = await sealAll(new Blob([new Uint8Array(SIZE).fill(7)]));
    const sealer = await createSealer(keys, decoded);
    for (const { index, bytes } of chunks) {
      const plain = new Uint8Array(Math.min(32_768, SIZE - index * 32_768)).fill(7);
      expect(Buffer.compare((await sealer.sealChunk(index, plain)).bytes, bytes)).toBe(0);
    }
  });

  test('seals the same into one buffer when asked to, and each tag is still a copy', async () => {
    const sizeBytes = 2_000_000;
    const blob = new Blob([new Uint8Array(sizeBytes).fill(7)]);
    const sealer = await createSealer(keys, encodeHeader(createHeader({ sizeBytes, name: 'a', type: '' })));
    const apart: SealedChunk[] = [];
    for await (const unit of sealStream(sealer, blob)) apart.push(...unit);
    const buffers = new Set<ArrayBuffer>();
    const tags: string[] = [];
    let at = 0;
    for await (const unit of sealStream(sealer, blob, { reuseBuffer: true })) {
      for (const { index, bytes, tag } of unit) {
        buffers.add(bytes.buffer);
        tags.push(tag.join());
        expect(index).toBe(at);
        expect(Buffer.compare(bytes, apart[at++]?.bytes ?? bytes.subarray(1))).toBe(0);
      }
    }
    expect(buffers.size).toBe(1);
    expect(tags).toEqual(apart.map(({ tag }) => tag.join()));
    expect(tags.length).toBe(31);
  });

  test('lets the caller free each piece of ciphertext, all of it, and seals the same', async () => {
    const blob = new Blob([new Uint8Array(SIZE).fill(7)]);
    const kept = await sealAll(blob);
    let freedBytes = 0;
    const sealer = await createSealer(keys, decoded, ({ buffer }) => {
      freedBytes += buffer.byteLength;
      buffer.transfer(0);
    });
    for await (const unit of sealStream(sealer, blob)) {
      for (const { index, bytes } of unit) expect(Buffer.compare(bytes, kept[index]!.bytes)).toBe(0);
    }
    expect(freedBytes).toBe(SIZE);
  });

  test('cancels the reading when the caller stops', async () => {
    let cancelled = false;
    const blob = new Blob([new Uint8Array(SIZE)]);
    const part = Object.assign(new Blob(), {
      stream: () =>
        new ReadableStream<Uint8Array>({
          pull: (controller) => controller.enqueue(new Uint8Array(SIZE)),
          cancel: () => {
            cancelled = true;
          },
        }),
    });
    const sealer = await createSealer(keys, decoded);
    for await (const [first] of sealStream(sealer, Object.assign(blob, { slice: () => part }))) {
      expect(first?.index).toBe(0);
      break;
    }
    expect(cancelled).toBe(true);
  });
});

describe('sealChunk', () => {
  test('writes into the array it is given', async () => {
    const sealer = await createSealer(keys, decoded);
    const out = new Uint8Array(40_000);
    const { bytes, tag } = await sealer.sealChunk(1, new Uint8Array(32_768), out);
    expect(bytes.buffer).toBe(out.buffer);
    expect(bytes.length).toBe(32_768 + 52);
    expect([...tag]).toEqual([...bytes.subarray(-32)]);
  });

  test.each([
    [0, 32_767],
    [3, 32_768],
    [4, 32_768],
    [4, 0],
    [-1, 32_768],
  ])('refuses for chunk %i a plaintext of %i bytes', async (index, length) => {
    const sealer = await createSealer(keys, decoded);
    await expect(sealer.sealChunk(index, new Uint8Array(length))).rejects.toThrowError(
      new AppError('upload.stream_size'),
    );
  });
});
