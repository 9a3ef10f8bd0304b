import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DIRECTORY_MAX_BYTES, LINES_MAX, readZip, type ZipListing } from './zip-directory.ts';

interface Made {
  readonly name: string | Buffer;
  readonly size?: number;
  readonly packed?: number;
  readonly flags?: number;
}

interface Look {
  readonly entries: readonly Made[];
  readonly before?: Buffer;
  readonly count?: number;
}

function entry({ name, size = 0, packed = 0, flags = 0x800 }: Made): Buffer {
  const bytes = Buffer.from(name);
  const head = Buffer.alloc(46);
  head.writeUInt32LE(0x02014b50, 0);
  head.writeUInt16LE(flags, 8);
  head.writeUInt32LE(packed, 20);
  head.writeUInt32LE(size, 24);
  head.writeUInt16LE(bytes.length, 28);
  return Buffer.concat([head, bytes]);
}

/** A zip without the files themselves, which nothing reads. */
function makeZip({ entries, before = Buffer.alloc(0), count = entries.length }: Look): Buffer {
  const directory = Buffer.concat(entries.map(entry));
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(directory.length, 12);
  return Buffer.concat([before, directory, end]);
}

function watched(file: Buffer) {
  const asked: number[] = [];
  const read = async (from: number, to: number) => {
    const bytes = new Uint8Array(file.subarray(from, to));
    asked.push(bytes.length);
    return bytes;
  };
  return { asked, read };
}

const list = (file: Buffer): Promise<ZipListing> => readZip(watched(file).read, file.length);
const paths = async (file: Buffer) => (await list(file)).lines.map(({ path }) => path);

test('a zip lists its entries with their sizes', async () => {
  const listing = await list(
    makeZip({
      entries: [
        { name: 'notes/' },
        { name: 'old\\' },
        { name: 'notes/a.txt', size: 10, packed: 6 },
        { name: 'k', flags: 0x801 },
      ],
    }),
  );
  expect(listing).toEqual({
    lines: [
      { path: 'notes/', isDirectory: true, isLocked: false, sizeBytes: 0, packedBytes: 0 },
      { path: 'old\\', isDirectory: true, isLocked: false, sizeBytes: 0, packedBytes: 0 },
      { path: 'notes/a.txt', isDirectory: false, isLocked: false, sizeBytes: 10, packedBytes: 6 },
      { path: 'k', isDirectory: false, isLocked: true, sizeBytes: 0, packedBytes: 0 },
    ],
    claimedCount: 4,
    isCut: false,
    isDamaged: false,
  });
});

test('names are shown as they are written, with what misleads made visible', async () => {
  const names = ['grüße.txt', 'photo\u202egpj.exe', '../../etc/passwd', 'in\u200bvoice', 'a\r\nb', '<img onerror=x>'];
  const old = { name: Buffer.from([0x67, 0x72, 0x81, 0xe1, 0x65]), flags: 0 };
  expect(await paths(makeZip({ entries: [...names.map((name) => ({ name })), old] }))).toEqual([
    'grüße.txt',
    'photo\ufffdgpj.exe',
    '../../etc/passwd',
    'in\ufffdvoice',
    'a\ufffd\ufffdb',
    '<img onerror=x>',
    'grüße',
  ]);
  const [long = ''] = await paths(makeZip({ entries: [{ name: 'x'.repeat(60_000) }] }));
  expect(long.length).toBeLessThan(500);
});

test.each([
  ['more entries than it has', 5, 2],
  ['fewer entries than it has', 1, 1],
])('a directory that says %s is said to be damaged', async (_name, count, shown) => {
  const listing = await list(makeZip({ entries: [{ name: 'a' }, { name: 'b' }], count }));
  expect([listing.lines.length, listing.isDamaged]).toEqual([shown, true]);
});

test('a directory that goes wrong lists what comes before', async () => {
  const zip = makeZip({ entries: [{ name: 'a' }, { name: 'b' }] });
  zip.writeUInt32LE(0, 47);
  expect(await list(zip)).toMatchObject({ lines: [{ path: 'a' }], isDamaged: true });
});

test('no more of a long directory is read or listed than the bounds say', async () => {
  const many = makeZip({ entries: Array.from({ length: LINES_MAX + 10 }, (_, at) => ({ name: `${at}` })) });
  expect(await list(many)).toMatchObject({ isCut: true, isDamaged: false, claimedCount: LINES_MAX + 10 });
  const wide = makeZip({ entries: Array.from({ length: 100 }, () => ({ name: 'x'.repeat(60_000) })) });
  const { asked, read } = watched(wide);
  const listing = await readZip(read, wide.length);
  expect(listing).toMatchObject({ isCut: true, isDamaged: false, claimedCount: 100 });
  expect(listing.lines.length).toBeLessThan(40);
  expect(asked.reduce((sum, bytes) => sum + bytes)).toBeLessThan(DIRECTORY_MAX_BYTES + 70_000);
});

test('a directory whose files could lie in many places is followed to few of them', async () => {
  // Where each file lies says from where the zip counts, once there is a file at one of them.
  const entries = Array.from({ length: 10_000 }, (_, at) => ({ name: `${at}` }));
  const zip = makeZip({ entries, before: Buffer.alloc(300_000, 7) });
  const { asked, read } = watched(zip);
  await expect(readZip(read, zip.length)).rejects.toThrow(TypeError);
  expect(asked.length).toBeLessThan(20);
});

test('of a large zip only its end is read', async () => {
  const { asked, read } = watched(makeZip({ entries: [{ name: 'a' }], before: Buffer.alloc(3_000_000) }));
  await readZip(read, 3_000_000 + 47 + 22);
  expect(asked.reduce((sum, bytes) => sum + bytes)).toBeLessThan(66_000);
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['a few bytes', Buffer.from('PK')],
  ['a text', Buffer.from('no zip at all. '.repeat(100))],
  ['an end alone that says there is a directory', makeZip({ entries: [{ name: 'abc' }] }).subarray(-22)],
])('%s is no zip', async (_name, file) => {
  await expect(list(file)).rejects.toThrow(TypeError);
});

test('reading any bytes ends, stays within the file, and throws a TypeError or nothing', async () => {
  const mutated = fc
    .tuple(
      fc.array(fc.record({ name: fc.string(), size: fc.nat(), packed: fc.nat() }), { maxLength: 5 }),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 12 }),
    )
    .map(([entries, edits]) => {
      const zip = makeZip({ entries });
      for (const [at, byte] of edits) zip[at % zip.length] = byte;
      return zip;
    });
  await fc.assert(
    fc.asyncProperty(fc.oneof(mutated, fc.uint8Array({ maxLength: 200 }).map(Buffer.from)), async (file) => {
      const read = async (from: number, to: number) => {
        expect(from >= 0 && from <= to && to <= file.length).toBe(true);
        return new Uint8Array(file.subarray(from, to));
      };
      const listing = await readZip(read, file.length).catch((error: unknown) => error);
      if (listing instanceof Error) expect(listing).toBeInstanceOf(TypeError);
      else expect((listing as ZipListing).lines.length).toBeLessThanOrEqual(LINES_MAX);
    }),
  );
});
