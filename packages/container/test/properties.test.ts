import { AppError } from '@satchel/contract/errors';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Bytes, type DecodedHeader, decodeHeader, encodeHeader, type Header } from '../src/format.ts';
import { importKeys, parseKey } from '../src/key.ts';
import { createOpener, openContainer, openStream } from '../src/open.ts';
import { createHeader, createSealer, sealStream } from '../src/seal.ts';
import { bytesOf, collect, slicedStream, vectors } from './fixtures.ts';
import { plaintextOf } from './plaintext.ts';

const keys = await importKeys(parseKey(vectors.folder_key));

/** A header as createHeader makes it, but with chunks of a chosen size, so that small files have many. */
function headerOf(sizeBytes: number, chunkSize: number, name = 'a.bin'): Header {
  const header = createHeader({ sizeBytes, name, type: 'text/plain' });
  return { ...header, chunkSize, totalChunks: Math.ceil(sizeBytes / chunkSize) };
}

interface Sealed {
  decoded: DecodedHeader;
  chunks: Bytes[];
  bytes: Bytes;
}

async function sealed(plain: Uint8Array, header: Header): Promise<Sealed> {
  const decoded = encodeHeader(header);
  const chunks: Bytes[] = [];
  for await (const unit of sealStream(await createSealer(keys, decoded), new Blob([bytesOf(plain)]))) {
    expect(unit.length).toBeLessThanOrEqual(24); // in flight at once, however small the chunks
    chunks.push(...unit.map((chunk) => chunk.bytes));
  }
  return { decoded, chunks, bytes: joined(decoded.prefix, chunks) };
}

const joined = (prefix: Uint8Array, chunks: Uint8Array[]): Bytes => bytesOf(Buffer.concat([prefix, ...chunks]));

/** Opens to the end or to the first error. */
async function opened(stream: ReadableStream<Uint8Array>): Promise<{ plain: Buffer; error: unknown }> {
  try {
    return await collect((await openContainer(keys, stream)).plaintext);
  } catch (error) {
    return { plain: Buffer.alloc(0), error };
  }
}

/** Asserts that broken bytes give an error of the catalogue, and before it only a true beginning of the file. */
async function expectRefused(bytes: Uint8Array, plain: Buffer): Promise<void> {
  const result = await opened(slicedStream(bytes, [bytes.length]));
  expect(result.error).toBeInstanceOf(AppError);
  expect(result.plain.length).toBeLessThan(plain.length);
  expect(result.plain.equals(plain.subarray(0, result.plain.length))).toBe(true);
}

const chunkSizes = fc.constantFrom(16, 32, 48, 256, 4096);
/** Sizes around the borders of chunks and of units. */
const files = chunkSizes.chain((chunkSize) =>
  fc
    .record({
      chunks: fc.constantFrom(1, 1, 2, 3, 23, 24, 25, 48, 49),
      over: fc.constantFrom(-16, -1, 0, 1, 15, 16, 17),
    })
    .map(({ chunks, over }) => ({ chunkSize, size: Math.max(1, chunks * chunkSize + over) })),
);
const pieces = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 6 });

describe('open(seal(x)) = x', () => {
  test('for sizes around chunk borders, however the stream is sliced', async () => {
    await fc.assert(
      fc.asyncProperty(files, pieces, fc.boolean(), async ({ size, chunkSize }, sizes, byteStream) => {
        const plain = plaintextOf(size);
        const { bytes } = await sealed(plain, headerOf(size, chunkSize));
        const { plain: result, error } = await opened(
          byteStream ? new Blob([bytes]).stream() : slicedStream(bytes, sizes),
        );
        expect(error).toBeNull();
        expect(result.equals(plain)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  test('for a file of no bytes: its header alone, for which the caller vouches', async () => {
    const { bytes, decoded } = await sealed(new Uint8Array(0), createHeader({ sizeBytes: 0, name: 'a', type: '' }));
    expect(bytes).toEqual(decoded.prefix);
    const open = async (container: Uint8Array) => {
      const check = async () => undefined;
      return collect((await openContainer(keys, slicedStream(container, [9]), { check })).plaintext);
    };
    expect(await open(bytes)).toEqual({ plain: Buffer.alloc(0), error: null });
    const longer = Buffer.concat([bytes, Buffer.alloc(1)]);
    await expect(open(longer)).rejects.toMatchObject({ code: 'open.size_mismatch' });
    expect(await opened(slicedStream(bytes, [9]))).toMatchObject({ error: { code: 'open.empty' } });
  });

  test.each([1, 32 * 1024 - 1, 32 * 1024, 32 * 1024 + 1, 24 * 32 * 1024 + 1, 2 ** 20 - 1, 2 ** 20, 10 * 2 ** 20])(
    'for %i bytes at its chunk size',
    async (size) => {
      const plain = plaintextOf(size);
      const { bytes, decoded } = await sealed(plain, createHeader({ sizeBytes: size, name: 'a', type: '' }));
      expect(bytes.length).toBe(decoded.prefix.length + size + 52 * decoded.header.totalChunks);
      const { plain: result, error } = await opened(new Blob([bytes]).stream());
      expect(error).toBeNull();
      expect(result.equals(plain)).toBe(true);
    },
  );

  test('for any span of chunks, sealed and opened alone', async () => {
    const plain = plaintextOf(1000);
    const { decoded, chunks, bytes } = await sealed(plain, headerOf(1000, 32));
    const [sealer, opener] = await Promise.all([createSealer(keys, decoded), createOpener(keys, decoded)]);
    const bound = fc.integer({ min: 0, max: chunks.length });
    await fc.assert(
      fc.asyncProperty(bound, bound, pieces, async (a, b, sizes) => {
        const [fromChunk, toChunk] = a < b ? [a, b] : [b, a];
        const again: Bytes[] = [];
        for await (const unit of sealStream(sealer, new Blob([bytesOf(plain)]), { fromChunk, toChunk })) {
          again.push(...unit.map((chunk) => chunk.bytes));
        }
        expect(again).toEqual(chunks.slice(fromChunk, toChunk));
        const rest = bytes.subarray(decoded.prefix.length + fromChunk * 84);
        const { plain: result, error } = await collect(
          openStream(opener, slicedStream(rest, sizes), { fromChunk, toChunk }),
        );
        expect(error).toBeNull();
        expect(result.equals(plain.subarray(fromChunk * 32, toChunk * 32))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a container that was tampered with', () => {
  const size = 1000;
  const plain = plaintextOf(size);
  const whole = sealed(plain, headerOf(size, 64));

  /** A position and a length anywhere in the container. */
  const ranges = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 300 }));
  const refusedAfter = async (change: (bytes: Bytes, at: number, length: number) => Uint8Array) => {
    const { bytes } = await whole;
    await fc.assert(
      fc.asyncProperty(ranges, async ([somewhere, length]) => {
        const changed = change(Uint8Array.from(bytes), somewhere % bytes.length, length);
        if (Buffer.compare(changed, bytes) !== 0) await expectRefused(changed, plain);
      }),
      { numRuns: 400 },
    );
  };

  test('by flipping a bit: refused', async () => {
    await refusedAfter((bytes, at, bit) => {
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit % 8));
      return bytes;
    });
  });

  test('by overwriting a range: refused', async () => {
    await refusedAfter((bytes, at, length) => bytes.fill(length, at, at + length));
  });

  test('by cutting a range out: refused', async () => {
    await refusedAfter((bytes, at, length) => {
      if (at === 0 && length === 4) return bytes; // the bare form, which is the same file (see below)
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
    });
  });

  test('by cutting the end off: refused', async () => {
    await refusedAfter((bytes, at) => bytes.subarray(0, at));
  });

  test('by repeating a range: refused', async () => {
    await refusedAfter((bytes, at, length) => Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)]));
  });

  test('by inserting zeros: refused', async () => {
    await refusedAfter((bytes, at, length) =>
      Buffer.concat([bytes.subarray(0, at), new Uint8Array(length), bytes.subarray(at)]),
    );
  });

  test('by swapping two neighbouring ranges: refused', async () => {
    await refusedAfter((bytes, at, length) => {
      const [middle, end] = [at + length, at + 2 * length];
      return Buffer.concat([
        bytes.subarray(0, at),
        bytes.subarray(middle, end),
        bytes.subarray(at, middle),
        bytes.subarray(end),
      ]);
    });
  });

  test('by putting the chunks in another order, or some of them twice: refused', async () => {
    const { decoded, chunks } = await whole;
    const order = fc.array(fc.nat(chunks.length - 1), { minLength: 1, maxLength: chunks.length + 2 });
    await fc.assert(
      fc.asyncProperty(order, async (indexes) => {
        fc.pre(indexes.length !== chunks.length || indexes.some((index, at) => index !== at));
        await expectRefused(
          joined(
            decoded.prefix,
            indexes.map((index) => chunks[index]!),
          ),
          plain,
        );
      }),
      { numRuns: 200 },
    );
  });
});

describe('two files under one key', () => {
  test('chunks exchanged between them are refused, even with equal baseCounter, sizes and name length', async () => {
    const [plainA, plainB] = [plaintextOf(500), Buffer.alloc(500, 'b')];
    const headerA = headerOf(500, 64, 'a.bin');
    const a = await sealed(plainA, headerA);
    const b = await sealed(plainB, { ...headerA, originalName: 'b.bin' });
    for (let index = 0; index < a.chunks.length; index++) {
      await expectRefused(joined(a.decoded.prefix, a.chunks.with(index, b.chunks[index]!)), plainA);
      await expectRefused(joined(b.decoded.prefix, b.chunks.with(index, a.chunks[index]!)), plainB);
    }
  });

  test('the header of one before the chunks of the other is refused', async () => {
    const plain = plaintextOf(500);
    const [a, b] = [await sealed(plain, headerOf(500, 64)), await sealed(plain, headerOf(500, 64))];
    await expectRefused(joined(a.decoded.prefix, b.chunks), plain);
  });
});

describe('an edited header', () => {
  const plain = plaintextOf(500);
  const edits: [string, Partial<Header>][] = [
    ['name', { originalName: 'b.bin' }],
    ['type', { originalType: 'text/html' }],
    ['baseCounter', { baseCounter: new Uint8Array(8) }],
    ['counts, truncating', { originalSize: 448, totalChunks: 7 }],
    ['counts, within the last chunk', { originalSize: 499 }],
    ['counts, extending', { originalSize: 513, totalChunks: 9 }],
    ['chunk size', { chunkSize: 128, totalChunks: 4 }],
  ];

  test.each(edits)('%s: refused', async (_, edit) => {
    const { decoded, chunks } = await sealed(plain, headerOf(500, 64));
    const { prefix, header } = encodeHeader({ ...decoded.header, ...edit });
    await expectRefused(joined(prefix, chunks.slice(0, header.totalChunks)), plain);
  });

  test('other bytes of the same meaning: refused', async () => {
    const { decoded, chunks } = await sealed(plain, headerOf(500, 64));
    const json = decoded.prefix.subarray(4);
    const spaced = Buffer.concat([Buffer.from(json), Buffer.from(' ')]);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(spaced.length);
    expect(decodeHeader(Buffer.concat([length, spaced]))?.header).toEqual(decoded.header);
    await expectRefused(joined(Buffer.concat([length, spaced]), chunks), plain);
  });

  test('the bare form of it, where the product wrote the prefixed one: opens, for it binds the same', async () => {
    const { decoded, chunks } = await sealed(plain, headerOf(500, 64));
    const result = await opened(slicedStream(joined(decoded.prefix.subarray(4), chunks), [100]));
    expect(result.error).toBeNull();
    expect(result.plain.equals(plain)).toBe(true);
  });
});
