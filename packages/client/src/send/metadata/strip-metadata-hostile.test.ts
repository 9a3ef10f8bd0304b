import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytesOf, textOf } from './byte-reader.ts';
import { stripMetadata } from './strip-metadata.ts';
import { fileOf, heif, JPEG, kept, leftOf, type Part, PNG, SECRET, webp } from './test-pictures.ts';

const textIn = async (file: Blob): Promise<string> => {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += 4096) text += textOf(bytes.subarray(at, at + 4096));
  return text;
};

/** Any order of parts, any of them several times, in front of the pixels. */
const orderOf = (parts: readonly Part[]) => fc.array(fc.constantFrom(...parts), { maxLength: 30 });

test('A JPEG picture with segments in any order keeps what it is drawn by, and loses the rest', async () => {
  const { begin, tables, scan, end, trailer } = JPEG;
  const parts = orderOf([...JPEG.metadata, JPEG.jfif, JPEG.jfifWithThumbnail, JPEG.adobe, tables, scan]);
  await fc.assert(
    fc.asyncProperty(parts, fc.integer({ min: 1, max: 8 }), fc.boolean(), async (order, orientation, isLittle) => {
      const all = [begin, JPEG.exif(orientation, isLittle), JPEG.icc, ...order, tables, scan, end, trailer];
      const { file } = await stripMetadata(fileOf(all, 'image/jpeg'));
      expect(new Uint8Array(await file.arrayBuffer())).toEqual(leftOf(all));
    }),
    { numRuns: 60 },
  );
});

test('A PNG picture with chunks in any order keeps what it is drawn by, and loses the rest', async () => {
  const { begin, colours, metadata, data, end, trailer } = PNG;
  await fc.assert(
    fc.asyncProperty(orderOf([...metadata, ...colours, PNG.exif(2), data]), async (order) => {
      const all = [begin, ...metadata, ...order, data, end, trailer];
      const { file } = await stripMetadata(fileOf(all, 'image/png'));
      expect(new Uint8Array(await file.arrayBuffer())).toEqual(leftOf(all));
    }),
    { numRuns: 60 },
  );
});

const { begin, jfif, icc, tables, scan, end, trailer } = JPEG;
const WHOLE = [
  leftOf(
    [begin, jfif, JPEG.exif(6), ...JPEG.metadata, icc, tables, scan, end, trailer].map(({ bytes }) => kept(bytes)),
  ),
  leftOf([PNG.begin, ...PNG.metadata, PNG.profile, PNG.exif(3), PNG.data, PNG.end].map(({ bytes }) => kept(bytes))),
  webp(6).bytes,
  heif().bytes,
  heif({ inIdat: true, brand: 'avif' }).bytes,
];

const damage = fc.record({
  whole: fc.constantFrom(...WHOLE),
  cutAt: fc.option(fc.nat({ max: 4000 })),
  /** Bytes put anywhere: most become lengths, places and types that are wrong. */
  writes: fc.array(fc.tuple(fc.nat({ max: 4000 }), fc.integer({ min: 0, max: 255 })), { maxLength: 6 }),
});

test('A damaged picture loses its metadata, or goes as it is and says so; the same picture always ends the same way', async () => {
  await fc.assert(
    fc.asyncProperty(damage, async ({ whole, cutAt, writes }) => {
      const bytes = whole.slice(0, cutAt ?? whole.length);
      for (const [at, byte] of writes) if (at < bytes.length) bytes[at] = byte;
      const chosen = new File([bytes], 'photo.jpg', { type: 'image/jpeg', lastModified: 1 });
      const [first, second] = [await stripMetadata(chosen), await stripMetadata(chosen)];
      const text = await textIn(first.file);
      expect(await textIn(second.file)).toBe(text);
      expect(second.stripping).toBe(first.stripping);
      if (first.stripping !== 'stripped') expect(first.file).toBe(chosen);
      // A damaged length may make metadata a part of the pixels, where it is noise to every reader.
      if (first.stripping === 'stripped' && writes.length === 0) expect(text).not.toContain(SECRET);
      const [from, to] = [Math.floor(text.length / 3), Math.floor(text.length / 2)];
      expect(await textIn(first.file.slice(from, to))).toBe(text.slice(from, to));
    }),
    { numRuns: 400 },
  );
});

test('Lengths and counts that promise more than there is are refused before anything is held', async () => {
  const hostile = [
    '\xff\xd8\xff\xe1\xff\xff',
    '\x89PNG\r\n\x1a\n\xff\xff\xff\xfftEXt',
    'RIFF\xff\xff\xff\xffWEBPVP8X\xff\xff\xff\xff',
    '\0\0\0\x14ftypheic\0\0\0\0heic\0\0\0\x01meta\xff\xff\xff\xff\xff\xff\xff\xff',
    '\0\0\0\x14ftypmp42\0\0\0\0mp42\0\0\0\x01moov\xff\xff\xff\xff\xff\xff\xff\xff',
    'GIF89a\x01\0\x01\0\0\0\0!\xfe\xff',
    'II*\0\x08\0\0\0\xff\xff\x0f\x01\x02\0\xff\xff\xff\xff\xff\xff\xff\xff',
    `\0\0\0\x14ftypheic\0\0\0\0heic${'\0\0\0\x08free'.repeat(3000)}`,
  ];
  for (const text of hostile) {
    const file = new File([bytesOf(text), new Uint8Array(40)], 'photo');
    expect(await stripMetadata(file)).toEqual({ file, stripping: 'unreadable' });
  }
});

test('A picture of nothing but fill bytes or tiny parts is given up in time', async () => {
  const fill = new File([bytesOf('\xff\xd8'), new Uint8Array(300_000).fill(0xff)], 'fill.jpg');
  expect((await stripMetadata(fill)).stripping).toBe('unreadable');
  const bits = new Uint8Array(200_000);
  for (let at = 0; at < bits.length; at += 4) bits.set([0xff, at % 8 === 0 ? 0xfe : 0xdb, 0, 2], at);
  const parts = new File([bytesOf('\xff\xd8'), bits], 'parts.jpg');
  expect((await stripMetadata(parts)).stripping).toBe('unreadable');
});
