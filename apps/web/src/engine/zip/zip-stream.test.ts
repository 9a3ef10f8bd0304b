import { crc32 } from 'node:zlib';
import { type FolderKeys, importKeys, newFolderKey } from '@satchel/container/key';
import type { FileProof } from '@satchel/container/proof';
import { AppError, fromWire } from '@satchel/contract/errors';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deliveryStream } from '../media/delivery-stream.ts';
import type { Delivery, ZipFile } from '../media/media-protocol.ts';
import { proofForTest, sealForTest } from '../testing/sealed-file.ts';
import { openZip } from './zip-stream.ts';

type Bytes = Uint8Array<ArrayBuffer>;

let keys: FolderKeys;
let stored: Map<string, Bytes>;
let asked: string[];
/** What the storage answers first, once each. */
let hiccups: (() => Response)[];
let deliveries: Delivery[];

const storage: typeof fetch = async (input, init) => {
  const name = String(input);
  asked.push(name);
  init?.signal?.throwIfAborted();
  const hiccup = hiccups.shift();
  if (hiccup) return hiccup();
  const bytes = stored.get(name);
  if (bytes) return new Response(new Blob([bytes]).stream());
  const error = new AppError('storage.not_found');
  return Response.json(error.toWire(), { status: error.status });
};

const contentOf = (sizeBytes: number, seed: number): Bytes =>
  new Uint8Array(sizeBytes).map((_, at) => ((at + seed) * 2654435761) >>> 24);

async function sealedFile(name: string, plain: Bytes): Promise<{ file: ZipFile; container: Bytes }> {
  const sealed = await sealForTest(keys, plain, { name, type: 'application/octet-stream' });
  const { container } = sealed;
  return { file: fileOf(`${name}.enc`, container, await proofForTest(keys, sealed)), container };
}

const fileOf = (url: string, bytes: Bytes, proof: FileProof | null = null): ZipFile => ({
  url,
  name: url,
  proof,
  entry: {
    id: url,
    name: url,
    created_at: '2026-03-01T12:00:00Z',
    updated_at: '2026-03-01T12:00:00Z',
    metadata: {
      size: bytes.length,
      mimetype: 'application/octet-stream',
      eTag: '"1"',
    },
  },
});

const zipOf = (files: readonly ZipFile[], signal = new AbortController().signal, fromByte = 0) =>
  deliveryStream({
    open: (given) =>
      openZip({ name: 'all.zip', files }, fromByte, { fetch: storage, signal: given, retryDelaysMs: [0, 0] }),
    sizeBytes: null,
    onDelivery: (delivery) => deliveries.push(delivery),
    signal,
  });

/** Files of a zip by its directory, each with its checksum proven. */
function unzip(zip: Bytes): [name: string, content: Bytes][] {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  const end = zip.length - 22;
  expect(view.getUint32(end, true)).toBe(0x06054b50);
  let at = view.getUint32(end + 16, true);
  return Array.from({ length: view.getUint16(end + 10, true) }, () => {
    const [crc, size, nameLength, local] = [16, 20, 28, 42].map((field) =>
      field === 28 ? view.getUint16(at + field, true) : view.getUint32(at + field, true),
    ) as [number, number, number, number];
    const name = new TextDecoder().decode(zip.subarray(at + 46, at + 46 + nameLength));
    at += 46 + nameLength + view.getUint16(at + 30, true);
    const dataAt = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const content = zip.slice(dataAt, dataAt + size);
    expect(crc32(content)).toBe(crc);
    return [name, content];
  });
}

const readAll = async (stream: ReadableStream<Bytes>): Promise<Bytes> => (await new Response(stream).bytes()) as Bytes;

beforeAll(async () => {
  keys = await importKeys(newFolderKey());
});
beforeEach(() => {
  stored = new Map();
  asked = [];
  hiccups = [];
  deliveries = [];
});

async function threeFiles() {
  const [large, small, plain] = [contentOf(3 * 1024 ** 2 + 11, 1), contentOf(10, 2), contentOf(5000, 3)];
  const first = await sealedFile('../one.bin', large);
  const second = await sealedFile('two.bin', small);
  const third = fileOf('two.bin', plain);
  stored.set(first.file.url, first.container).set(second.file.url, second.container).set(third.url, plain);
  return { files: [first.file, second.file, third], contents: [large, small, plain], first, second };
}

describe('a zip of a folder', () => {
  test('holds every file as it was, sealed ones under their labels’ names, each once', async () => {
    const { files, contents } = await threeFiles();
    const entries = unzip(await readAll(zipOf(files)));
    expect(entries.map(([name]) => name)).toEqual(['.._one.bin', 'two.bin', 'two (2).bin']);
    expect(entries.map(([, content]) => Buffer.from(content).equals(contents.shift() as Bytes))).toEqual([
      true,
      true,
      true,
    ]);
  });

  test('tells how far it is, and that it is done', async () => {
    const { files } = await threeFiles();
    const zip = await readAll(zipOf(files));
    const last = deliveries.at(-1);
    expect(last).toEqual({
      state: 'done',
      deliveredBytes: zip.length,
      error: null,
      place: { index: 2, fileBytes: 5000 },
    });
    expect(deliveries.map(({ place }) => place?.index)).toContain(1);
    expect(deliveries.some(({ place }) => place?.index === 0 && place.fileBytes === 3 * 1024 ** 2 + 11)).toBe(true);
  });

  test('fetches nothing before it is read, and not far ahead', async () => {
    const { files } = await threeFiles();
    const reader = zipOf(files).getReader();
    await new Promise(setImmediate);
    expect(asked).toEqual([]);
    await reader.read();
    expect(asked).toEqual(['../one.bin.enc']);
    await reader.cancel();
    expect(deliveries.at(-1)?.state).toBe('cancelled');
  });
});

test('a zip that is packed again from any byte on has the same bytes', async () => {
  const { files } = await threeFiles();
  const whole = await readAll(zipOf(files));
  for (const fromByte of [1, 30, 100_000, 3 * 1024 ** 2 + 50, whole.length - 1, whole.length]) {
    const rest = await readAll(zipOf(files, undefined, fromByte));
    expect(Buffer.from(rest).equals(whole.subarray(fromByte))).toBe(true);
  }
});

describe('a file that does not open', () => {
  test('ends the zip before its directory, and is named', async () => {
    const { files, second } = await threeFiles();
    const damaged = second.container.slice();
    damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1;
    stored.set(second.file.url, damaged);
    await expect(readAll(zipOf(files))).rejects.toThrow('HMAC verification failed for chunk 0');
    const last = deliveries.at(-1);
    expect(last?.state).toBe('failed');
    expect(last?.place?.index).toBe(1);
    expect(fromWire(last?.error)?.code).toBe('open.bad_hmac');
    expect(asked).not.toContain('two.bin');
  });

  test('nor does a file that was deleted or cut, or another file of the folder in its place', async () => {
    const { files, first, second } = await threeFiles();
    stored.delete('two.bin');
    await expect(readAll(zipOf(files))).rejects.toThrow('Failed to download file two.bin: Object not found');
    stored.set('two.bin', contentOf(4999, 3));
    await expect(readAll(zipOf(files))).rejects.toThrow('two.bin was not saved whole');
    stored.set(first.file.url, second.container);
    await expect(readAll(zipOf(files))).rejects.toThrow('Not from this folder');
    expect(fromWire(deliveries.at(-1)?.error)?.code).toBe('open.foreign');
  });
});

test('a line that breaks for a moment costs no zip; one that stays broken does', async () => {
  const { files } = await threeFiles();
  const broken = () => {
    throw new TypeError('Failed to fetch');
  };
  hiccups = [broken, () => new Response(null, { status: 503 })];
  expect(unzip(await readAll(zipOf(files)))).toHaveLength(3);
  hiccups = [broken, broken, broken];
  await expect(readAll(zipOf(files))).rejects.toThrow('Failed to download file ../one.bin.enc: Failed to fetch');
});

test('a zip that is given up fails in the middle, and fetches nothing more', async () => {
  const { files } = await threeFiles();
  const control = new AbortController();
  const reader = zipOf(files, control.signal).getReader();
  await reader.read();
  control.abort(new DOMException('Cancelled', 'AbortError'));
  await expect(reader.read()).rejects.toThrow('Cancelled');
  expect(deliveries.at(-1)?.state).toBe('cancelled');
  expect(asked).toEqual(['../one.bin.enc']);
});
