import { crc32, inflateRawSync } from 'node:zlib';
import { type FolderKeys, importKeys, newFolderKey } from '@satchel/container/key';
import type { FileProof } from '@satchel/container/proof';
import { AppError, fromWire } from '@satchel/contract/errors';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { proofForTest, sealForTest } from '../testing/sealed-file.ts';
import { type Delivery, deliveryStream } from './delivery-stream.ts';
import { openZip, type ZipFile } from './zip-stream.ts';

type Bytes = Uint8Array<ArrayBuffer>;

let keys: FolderKeys;
let stored: Map<string, Bytes>;
let asked: string[];
/** What the storage answers first, once each. */
let hiccups: ((signal: AbortSignal) => Response | Promise<Response>)[];
let deliveries: Delivery[];

/** After how many bytes each answer's line breaks; none once the list is used up. */
let breaks: number[];
/** Whether a line that breaks says nothing of it: it swallows the rest. */
let isSilent: boolean;
let isThere: boolean;
let eTag: string;

const until = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

function answerWith(bytes: Bytes, headers: Headers, signal: AbortSignal): Response {
  const [, first = '0', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(headers.get('Range') ?? '') ?? [];
  const isPart = headers.has('Range') && (headers.get('If-Range') ?? eTag) === eTag;
  const [start, end] = isPart ? [Number(first), last === '' ? bytes.length : Number(last) + 1] : [0, bytes.length];
  const breakAfter = breaks.shift();
  let passed = 0;
  const line = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      controller.enqueue(piece.subarray(0, Math.max(0, (breakAfter ?? Infinity) - passed)));
      passed += piece.length;
      if (breakAfter === undefined || passed <= breakAfter) return undefined;
      if (isSilent) return until(signal);
      return controller.error(new TypeError('network error'));
    },
  });
  const range: Record<string, string> = isPart ? { 'Content-Range': `bytes ${start}-${end - 1}/${bytes.length}` } : {};
  return new Response(new Blob([bytes.slice(start, end)]).stream().pipeThrough(line), {
    status: isPart ? 206 : 200,
    headers: { ETag: eTag, ...range },
  });
}

const storage: typeof fetch = async (input, init) => {
  const name = String(input);
  asked.push(name);
  init?.signal?.throwIfAborted();
  const hiccup = hiccups.shift();
  if (hiccup) return hiccup(init!.signal!);
  const bytes = stored.get(name);
  if (bytes) return answerWith(bytes, new Headers(init?.headers), init!.signal!);
  const error = new AppError('storage.not_found');
  return Response.json(error.toWire(), { status: error.status });
};

const contentOf = (sizeBytes: number, seed: number): Bytes =>
  new Uint8Array(sizeBytes).map((_, at) => ((at + seed) * 2654435761) >>> 24);

async function sealedFile(name: string, plain: Bytes, dated = {}): Promise<{ file: ZipFile; container: Bytes }> {
  const sealed = await sealForTest(keys, plain, { name, type: 'application/octet-stream', ...dated });
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
      openZip({ name: 'all.zip', files }, fromByte, {
        fetch: storage,
        isThere: async () => isThere,
        signal: given,
        retryDelaysMs: [0, 0],
      }),
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
    const [crc, packed, size, nameLength, local] = [16, 20, 24, 28, 42].map((field) =>
      field === 28 ? view.getUint16(at + field, true) : view.getUint32(at + field, true),
    ) as [number, number, number, number, number];
    const name = new TextDecoder().decode(zip.subarray(at + 46, at + 46 + nameLength));
    at += 46 + nameLength + view.getUint16(at + 30, true);
    const dataAt = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const content = new Uint8Array(inflateRawSync(zip.subarray(dataAt, dataAt + packed)));
    expect([content.length, crc32(content)]).toEqual([size, crc]);
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
  breaks = [];
  [isSilent, isThere] = [false, true];
  eTag = '"1"';
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

test('a file has the date of its own last change, or of its upload where its label says none', async () => {
  const modifiedMs = Date.UTC(2019, 6, 20, 20, 17, 40);
  const dated = await sealedFile('dated.txt', contentOf(10, 1), { modifiedMs });
  const undated = await sealedFile('undated.txt', contentOf(10, 2));
  stored.set(dated.file.url, dated.container).set(undated.file.url, undated.container);
  const zip = Buffer.from(await readAll(zipOf([dated.file, undated.file])));
  // The time for all zones, behind the name in each file's own header.
  const seconds = (name: string) => zip.readInt32LE(zip.indexOf(name) + name.length + 5);
  expect([seconds('dated.txt'), seconds('undated.txt')]).toEqual(
    [modifiedMs, Date.parse('2026-03-01T12:00:00Z')].map((ms) => ms / 1000),
  );
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

describe('a file whose line breaks in the middle', () => {
  const isDown = () => {
    throw new TypeError('Failed to fetch');
  };

  test('continues where it was, sealed or plain, also once a server that is down answers again', async () => {
    const { files, first } = await threeFiles();
    const whole = await readAll(zipOf(files));
    const large = contentOf(3 * 1024 ** 2, 4);
    const plain = fileOf('large.bin', large);
    stored.set(plain.url, large);
    for (const file of [first.file, plain]) {
      breaks = [2_000_000, 500_000];
      expect(unzip(await readAll(zipOf([file])))).toHaveLength(1);
      expect(breaks).toEqual([]);
    }
    breaks = [2_000_000];
    const broken = zipOf(files);
    const reader = broken.getReader();
    const parts: Bytes[] = [];
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      if (parts.length === 0) hiccups = [isDown];
      parts.push(read.value);
    }
    expect(Buffer.concat(parts).equals(whole)).toBe(true);
    expect(hiccups).toEqual([]);
  });

  test.each([0, 20, 100_000])(
    'begins again when it breaks after its first %d bytes, before a chunk is opened',
    async (bytes) => {
      const { files, first } = await threeFiles();
      const whole = await readAll(zipOf(files));
      breaks = [bytes, bytes];
      expect(Buffer.concat([await readAll(zipOf(files))]).equals(whole)).toBe(true);
      expect(breaks).toEqual([]);
      breaks = [bytes, bytes, bytes];
      await expect(readAll(zipOf([first.file]))).rejects.toThrow('network error');
    },
  );

  test('ends the zip when the line stays broken, or another version came in between', async () => {
    const large = contentOf(3 * 1024 ** 2, 4);
    const plain = fileOf('large.bin', large);
    stored.set(plain.url, large);
    breaks = [2_000_000, 0, 0];
    await expect(readAll(zipOf([plain]))).rejects.toThrow('network error');
    breaks = [2_000_000];
    const reader = zipOf([plain]).getReader();
    await reader.read();
    eTag = '"2"';
    const rest = (async () => {
      for (let read = await reader.read(); !read.done; read = await reader.read());
    })();
    await expect(rest).rejects.toThrow('large.bin was not saved whole');
  });
});

describe('a line that swallows everything', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each([
    ['the first answer', () => void hiccups.push(until)],
    ['the middle of a sealed file', () => void breaks.push(2_000_000)],
    ['a sealed file’s head', () => void breaks.push(20)],
    ['the middle of a plain file', () => void breaks.push(Infinity, Infinity, 2000)],
  ])('within %s costs no zip', async (_, swallow) => {
    const { files } = await threeFiles();
    const whole = await readAll(zipOf(files));
    swallow();
    [isSilent, isThere] = [true, false];
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let zip: Bytes | null = null;
    void readAll(zipOf(files)).then((bytes) => {
      zip = bytes;
    });
    while (zip === null) {
      await vi.advanceTimersByTimeAsync(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(Buffer.compare(zip, whole)).toBe(0);
    expect([hiccups, breaks]).toEqual([[], []]);
  });
});

test('empty files are entries without bytes, sealed or plain', async () => {
  const none = new Uint8Array(0);
  const sealed = await sealedFile('__init__.py', none);
  const plain = fileOf('.gitkeep', none);
  stored.set(sealed.file.url, sealed.container).set(plain.url, none);
  expect(unzip(await readAll(zipOf([sealed.file, plain])))).toEqual([
    ['__init__.py', none],
    ['.gitkeep', none],
  ]);
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
