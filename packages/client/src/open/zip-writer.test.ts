import { once } from 'node:events';
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type Listed, writeZip, type ZipInput, zipDirectory } from './zip-writer.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const NOW = Date.UTC(2026, 2, 1, 12, 0, 1);
const noise = (sizeBytes: number): Bytes => new Uint8Array(sizeBytes).map((_, at) => (at * 2654435761) >>> 24);

async function* pieces(bytes: Bytes, pieceBytes: number): AsyncGenerator<Bytes> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.slice(at, at + pieceBytes);
}

interface Given {
  readonly name: string;
  readonly bytes: Bytes;
  readonly modifiedMs?: number;
  readonly saidBytes?: number;
  readonly pieceBytes?: number;
}

async function zipOf(files: readonly Given[]): Promise<Buffer> {
  async function* inputs(): AsyncGenerator<ZipInput> {
    for (const { name, bytes, modifiedMs = NOW, saidBytes = bytes.length, pieceBytes = 1000 } of files)
      yield { name, modifiedMs, sizeBytes: saidBytes, content: pieces(bytes, pieceBytes) };
  }
  const parts: Bytes[] = [];
  for await (const unit of writeZip(inputs())) parts.push(...unit);
  return Buffer.concat(parts);
}

/** Where the compressed file ends that begins at `from`, and what it holds, found without any size. */
async function inflated(zip: Buffer, from: number): Promise<{ content: Buffer; end: number }> {
  const inflate = createInflateRaw();
  const parts: Buffer[] = [];
  inflate.on('data', (part: Buffer) => parts.push(part));
  inflate.end(zip.subarray(from));
  await once(inflate, 'end');
  return { content: Buffer.concat(parts), end: from + inflate.bytesWritten };
}

/** Reads a zip from its beginning, as a program does that has a stream of it: by the files' own headers alone. */
async function readAsStream(zip: Buffer) {
  const files: { name: string; content: Buffer; isWide: boolean }[] = [];
  let at = 0;
  while (zip.readUInt32LE(at) === 0x04034b50) {
    expect([zip.readUInt16LE(at + 6), zip.readUInt16LE(at + 8)]).toEqual([0x0808, 8]);
    const [nameBytes, extraBytes] = [zip.readUInt16LE(at + 26), zip.readUInt16LE(at + 28)];
    const name = zip.toString('utf8', at + 30, at + 30 + nameBytes);
    const extra = zip.subarray(at + 30 + nameBytes, at + 30 + nameBytes + extraBytes);
    const isWide = extra.length > 2 && extra.readUInt16LE(0) === 1;
    const { content, end } = await inflated(zip, at + 30 + nameBytes + extraBytes);
    expect([zip.readUInt32LE(end), zip.readUInt32LE(end + 4)]).toEqual([0x08074b50, crc32(content)]);
    const sizes = isWide
      ? [Number(zip.readBigUInt64LE(end + 8)), Number(zip.readBigUInt64LE(end + 16))]
      : [zip.readUInt32LE(end + 8), zip.readUInt32LE(end + 12)];
    expect(sizes).toEqual([end - (at + 30 + nameBytes + extraBytes), content.length]);
    files.push({ name, content, isWide });
    at = end + (isWide ? 24 : 16);
  }
  expect(zip.readUInt32LE(at)).toBe(0x02014b50);
  return files;
}

describe('a program that reads a zip as a stream', () => {
  test.each([0, 1, 65_534, 65_535, 65_536, 200_000])(
    'finds a file of %d bytes, and the one behind it',
    async (size) => {
      const bytes = noise(size);
      const files = await readAsStream(
        await zipOf([
          { name: 'ü/a.bin', bytes },
          { name: 'b.bin', bytes: noise(5) },
        ]),
      );
      expect(files.map(({ name }) => name)).toEqual(['ü/a.bin', 'b.bin']);
      expect(files[0]?.content.equals(bytes)).toBe(true);
    },
  );

  test('learns from the header of a file beyond 4 GB that the sizes behind it have 64 bits', async () => {
    const zip = await zipOf([
      { name: 'a', bytes: noise(10), saidBytes: 5_000_000_000 },
      { name: 'b', bytes: noise(3) },
    ]);
    const files = await readAsStream(zip);
    expect(files.map(({ name, isWide }) => [name, isWide])).toEqual([
      ['a', true],
      ['b', false],
    ]);
  });
});

test('the same files make the same bytes, however theirs come', async () => {
  const bytes = noise(300_000);
  const [one, other] = await Promise.all([777, 131_070].map((pieceBytes) => zipOf([{ name: 'a', bytes, pieceBytes }])));
  expect(one?.equals(other as Buffer)).toBe(true);
});

test('the directory says where each file is, how large, and when it was changed', async () => {
  const zip = await zipOf([
    { name: 'a.txt', bytes: noise(100), modifiedMs: Date.UTC(2019, 6, 20, 20, 17, 40) },
    { name: 'b.txt', bytes: noise(70_000) },
  ]);
  const end = zip.length - 22;
  expect([zip.readUInt32LE(end), zip.readUInt16LE(end + 10)]).toEqual([0x06054b50, 2]);
  let at = zip.readUInt32LE(end + 16);
  const seen = Array.from({ length: 2 }, () => {
    const [nameBytes, extraBytes] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30)];
    const local = zip.readUInt32LE(at + 42);
    const data = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const content = inflateRawSync(zip.subarray(data, data + zip.readUInt32LE(at + 20)));
    expect([content.length, crc32(content)]).toEqual([zip.readUInt32LE(at + 24), zip.readUInt32LE(at + 16)]);
    const name = zip.toString('utf8', at + 46, at + 46 + nameBytes);
    const seconds = zip.readInt32LE(at + 46 + nameBytes + 5);
    at += 46 + nameBytes + extraBytes;
    return [name, seconds];
  });
  expect(seen).toEqual([
    ['a.txt', Date.UTC(2019, 6, 20, 20, 17, 40) / 1000],
    ['b.txt', NOW / 1000],
  ]);
  expect(at).toBe(end);
});

test.each([
  [Date.UTC(1970, 5, 1), [1980, 1, 1]],
  [Date.UTC(2107, 5, 1, 12), [2107, 6, 1]],
  [Date.UTC(2300, 5, 1), [2107, 12, 31]],
  [-8.64e15, [1980, 1, 1]],
])('a date that the format can’t say, %d, is the nearest that it can', async (modifiedMs, [year = 0, month, day]) => {
  const zip = await zipOf([{ name: 'a', bytes: noise(1), modifiedMs }]);
  const date = zip.readUInt16LE(12);
  expect([(date >> 9) + 1980, (date >> 5) & 15, date & 31]).toEqual([year, month, day]);
});

describe('a zip beyond 4 GB', () => {
  const file = (more: Partial<Listed>): Listed => ({
    name: new TextEncoder().encode('a'),
    modifiedMs: NOW,
    crc: 1,
    sizeBytes: 10,
    at: 0,
    ...more,
  });
  const directory = (files: readonly Listed[], at: number) => Buffer.concat(zipDirectory(files, at));

  test('lists what has no room in 32 bits in 64', () => {
    const entry = directory([file({ sizeBytes: 5_000_000_000, at: 6_000_000_000 })], 11_000_000_000);
    expect([20, 24, 42].map((field) => entry.readUInt32LE(field))).toEqual(Array(3).fill(0xffffffff));
    const extra = entry.subarray(47);
    expect([extra.readUInt16LE(0), extra.readUInt16LE(2)]).toEqual([1, 24]);
    const [size, packed, at] = [4, 12, 20].map((field) => Number(extra.readBigUInt64LE(field)));
    expect([size, at]).toEqual([5_000_000_000, 6_000_000_000]);
    expect(packed).toBe(5_000_000_000 + 5 * (Math.floor(5_000_000_000 / 65_535) + 1));
  });

  test('lists an offset alone where the size has room', () => {
    const extra = directory([file({ at: 6_000_000_000 })], 7_000_000_000).subarray(47);
    expect([extra.readUInt16LE(2), Number(extra.readBigUInt64LE(4))]).toEqual([8, 6_000_000_000]);
  });

  test('or of more files than 16 bits count, ends with the records of 64 bits', () => {
    const entryBytes = directory([file({})], 0).length - 22;
    for (const [files, at] of [
      [[file({})], 5_000_000_000],
      [Array.from({ length: 70_000 }, () => file({})), 100],
    ] as const) {
      const whole = directory(files, at);
      const end = whole.length - 22;
      const locator = end - 20;
      const wide = locator - 56;
      const sizeBytes = entryBytes * files.length;
      expect([end, locator, wide].map((place) => whole.readUInt32LE(place))).toEqual([
        0x06054b50, 0x07064b50, 0x06064b50,
      ]);
      expect([24, 32, 40, 48].map((field) => Number(whole.readBigUInt64LE(wide + field)))).toEqual([
        files.length,
        files.length,
        sizeBytes,
        at,
      ]);
      expect(Number(whole.readBigUInt64LE(locator + 8))).toBe(at + sizeBytes);
    }
  });
});
