import { AppError } from '@satchel/contract/errors';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { collect } from '../test/fixtures.ts';
import { encodeHeader, type Header } from './format.ts';
import { importKeys, newFolderKey } from './key.ts';
import { chunkRange, createOpener, openContainer } from './open.ts';
import { createHeader, createSealer, sealStream } from './seal.ts';

const keys = await importKeys(newFolderKey());
const SIZE = 2_000_000;
const plain = Buffer.alloc(SIZE, 'some text that repeats; ');

async function containerOf(): Promise<Uint8Array<ArrayBuffer>> {
  const decoded = encodeHeader(createHeader({ sizeBytes: SIZE, name: '', type: '', hidesName: true }));
  const parts: Uint8Array[] = [decoded.prefix];
  for await (const unit of sealStream(await createSealer(keys, decoded), new Blob([plain]))) {
    parts.push(...unit.map((chunk) => chunk.bytes));
  }
  return new Uint8Array(Buffer.concat(parts));
}
const container = await containerOf();

/** A stream of the container that counts reads and notes its cancellation. */
function watchedStream(bytes = container, pieceBytes = 100_000) {
  const seen = { handedOut: 0, cancelled: false };
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (seen.handedOut >= bytes.length) return controller.close();
        controller.enqueue(bytes.slice(seen.handedOut, seen.handedOut + pieceBytes));
        seen.handedOut += pieceBytes;
      },
      cancel() {
        seen.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { seen, stream };
}

describe('createOpener', () => {
  const MIB = 1024 ** 2;

  test.each([
    [10 * 1024 * MIB, MIB, 2],
    [1024 * MIB, MIB / 2, 0],
  ])(
    'of a file of %i bytes gives back the pieces of a chunk of %i that it has copied',
    async (sizeBytes, chunkBytes, count) => {
      const decoded = encodeHeader(createHeader({ sizeBytes, name: 'a', type: '' }));
      const content = new Uint8Array(chunkBytes).map((_, at) => (at * 2654435761) >>> 24);
      const { bytes } = await (await createSealer(keys, decoded)).sealChunk(3, content);
      const released: number[] = [];
      const opener = await createOpener(keys, decoded, (piece) => {
        released.push(piece.length);
        piece.fill(0);
      });
      expect(Buffer.compare(await opener.openChunk(3, bytes), content)).toBe(0);
      expect(released).toEqual(Array(count).fill(MIB / 2));
    },
  );
});

describe('openContainer', () => {
  test('opens a container that passes the check', async () => {
    const { decoded, plaintext } = await openContainer(keys, watchedStream().stream, {
      check: async ({ header }) => expect(header.originalName).toBe('file'),
    });
    expect(decoded.header.originalSize).toBe(SIZE);
    const { plain: opened, error } = await collect(plaintext);
    expect(error).toBeNull();
    expect(opened.equals(plain)).toBe(true);
  });

  test('opens no chunk of a container that the check refuses, and ends its stream', async () => {
    const { seen, stream } = watchedStream();
    const check = () => Promise.reject(new AppError('open.foreign'));
    await expect(openContainer(keys, stream, { check })).rejects.toMatchObject({ code: 'open.foreign' });
    expect(seen.cancelled).toBe(true);
  });

  test('returns no header before a chunk has proven it', async () => {
    const edited = container.slice();
    edited.set(new TextEncoder().encode('text/html"'), Buffer.from(edited).indexOf('application/octet-stream'));
    const { seen, stream } = watchedStream(edited);
    await expect(openContainer(keys, stream)).rejects.toBeInstanceOf(AppError);
    expect(seen.cancelled).toBe(true);
  });

  test('reads no more than a unit ahead of what is taken', async () => {
    const { seen, stream } = watchedStream();
    const { plaintext } = await openContainer(keys, stream);
    for (let units = 1; !(await plaintext.next()).done; units += 1) {
      expect(seen.handedOut).toBeLessThanOrEqual((units + 1) * 800_000 + 100_000);
    }
  });

  test.each([0, 1])('cancels the stream when the reader leaves after %i units', async (units) => {
    const { seen, stream } = watchedStream();
    const { plaintext } = await openContainer(keys, stream);
    for (let taken = 0; taken < units; taken++) await plaintext.next();
    await plaintext.return(undefined);
    expect(seen.cancelled).toBe(true);
  });

  test('passes on an error of the network, after the verified chunks', async () => {
    const cause = new TypeError('network error');
    let at = 0;
    const breaking = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at > 1_500_000) return controller.error(cause);
        controller.enqueue(container.slice(at, at + 50_000));
        at += 50_000;
      },
    });
    const { plaintext } = await openContainer(keys, breaking);
    const { plain: opened, error } = await collect(plaintext);
    expect(error).toBe(cause);
    expect(opened.length).toBeGreaterThan(0);
    expect(opened.equals(plain.subarray(0, opened.length))).toBe(true);
  });

  test('allocates by the bytes that arrive, not by the header’s claims', async () => {
    const huge: Header = { ...createHeader({ sizeBytes: 2 ** 50, name: 'a', type: '' }), chunkSize: 2 ** 22 };
    const { prefix } = encodeHeader({ ...huge, totalChunks: 2 ** 28 });
    const own = ArrayBuffer;
    let largest = 0;
    globalThis.ArrayBuffer = new Proxy(own, {
      construct(target, [length]: [number]) {
        largest = Math.max(largest, length);
        return new target(length);
      },
    });
    try {
      await expect(openContainer(keys, new Blob([prefix]).stream())).rejects.toBeInstanceOf(AppError);
    } finally {
      globalThis.ArrayBuffer = own;
    }
    expect(largest).toBeGreaterThan(0);
    expect(largest).toBeLessThanOrEqual(2 ** 22 + 53);
  });
});

describe('chunkRange', () => {
  /** The chunks of a range, byte by byte. */
  function naive(header: Header, size: number, start: number, end: number): number[] {
    const chunks = new Set<number>();
    for (let at = start; at < Math.min(end, size); at++) chunks.add(Math.floor(at / header.chunkSize));
    return [...chunks];
  }

  test('names exactly the chunks that hold the range', () => {
    const position = fc.integer({ min: 0, max: 400 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), position, position, fc.boolean(), (size, start, end, unsized) => {
        const chunkSize = 32;
        const made = createHeader({ sizeBytes: size, name: 'a', type: '' });
        const header = { ...made, chunkSize, totalChunks: Math.ceil(size / chunkSize) };
        const known = unsized ? header.totalChunks * chunkSize : size;
        const { fromChunk, toChunk, skipBytes } = chunkRange(
          unsized ? { ...header, originalSize: null } : header,
          start,
          end,
        );
        const wanted = naive(header, known, start, end);
        expect(Array.from({ length: toChunk - fromChunk }, (_, at) => fromChunk + at)).toEqual(wanted);
        if (wanted.length > 0) expect(fromChunk * chunkSize + skipBytes).toBe(start);
        expect(toChunk).toBeLessThanOrEqual(header.totalChunks);
      }),
      { numRuns: 1000 },
    );
  });
});
