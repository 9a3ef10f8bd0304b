import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type Bytes, bytesOf, joined } from './byte-reader.ts';
import { readExif, writeExif } from './exif.ts';
import { stripMetadata } from './strip-metadata.ts';
import {
  cameraExif,
  dropped,
  fileOf,
  heif,
  JPEG,
  jpegSegment,
  kept,
  leftOf,
  type Part,
  PNG,
  plainWebp,
  pngChunk,
  uint,
  webp,
} from './test-pictures.ts';

const bytesIn = async (file: Blob): Promise<Bytes> => new Uint8Array(await file.arrayBuffer());

async function expectLeft(parts: readonly Part[], type: string): Promise<void> {
  const file = fileOf(parts, type);
  const { file: left, stripping } = await stripMetadata(file);
  expect(stripping).toBe('stripped');
  expect(await bytesIn(left)).toEqual(leftOf(parts));
  expect([left.name, left.type, left.lastModified]).toEqual([file.name, type, 1]);
}

async function expectUntouched(parts: readonly Part[], stripping: 'none' | 'unreadable'): Promise<void> {
  const file = fileOf(parts, 'image/jpeg');
  expect(await stripMetadata(file)).toEqual({ file, stripping });
}

describe('A JPEG picture', () => {
  const { begin, jfif, icc, adobe, tables, scan, end } = JPEG;

  test('keeps profile, colour coding and orientation, and loses place, serial numbers, notes and comments', async () => {
    await expectLeft([begin, jfif, JPEG.exif(6), ...JPEG.metadata, icc, adobe, tables, scan, end], 'image/jpeg');
  });

  test('keeps its orientation in either order of bytes', async () => {
    await expectLeft([begin, JPEG.exif(8, false), tables, scan, end], 'image/jpeg');
  });

  test('loses a thumbnail, a second picture and the film of a motion photo', async () => {
    await expectLeft([begin, JPEG.jfifWithThumbnail, tables, scan, end, JPEG.trailer], 'image/jpeg');
  });

  test('of several scans keeps each, and nothing that stands between them', async () => {
    const [comment] = JPEG.metadata.slice(-1);
    await expectLeft([begin, tables, scan, tables, scan, comment!, scan, end], 'image/jpeg');
  });

  test('keeps the first Exif data only, which is what decoders read', async () => {
    const second = dropped(JPEG.exif(3).bytes);
    await expectLeft([begin, JPEG.exif(6), second, tables, scan, end], 'image/jpeg');
  });

  test('that is cut off within its pixels loses its metadata, too', async () => {
    await expectLeft([begin, JPEG.exif(6), tables, scan], 'image/jpeg');
  });

  test('larger than one read is followed to its end', async () => {
    const long = kept(joined(scan.bytes, new Uint8Array(700_001).fill(0x11)));
    await expectLeft([begin, JPEG.exif(6), tables, long, end, JPEG.trailer], 'image/jpeg');
  });

  test('without metadata stays the very file that was chosen', async () => {
    await expectUntouched([begin, jfif, JPEG.cleanIcc, tables, scan, end], 'none');
  });

  test('whose segment reaches beyond its end goes as it is', async () => {
    const broken = kept(joined(Uint8Array.of(0xff, 0xe1), uint(40_000, 2), cameraExif(1)));
    await expectUntouched([begin, broken], 'unreadable');
    await expectUntouched([begin, kept(jpegSegment(0xdb)), kept(bytesOf('garbage'))], 'unreadable');
  });
});

describe('A PNG picture', () => {
  const { begin, colours, metadata, data, end, trailer } = PNG;

  test('keeps colours, gamma and orientation, and loses texts, times and what follows its end', async () => {
    await expectLeft(
      [begin, ...metadata, PNG.profile, ...colours, PNG.exif(3), data, ...metadata, end, trailer],
      'image/png',
    );
  });

  test('without metadata stays the very file that was chosen', async () => {
    await expectUntouched([begin, ...colours, data, end], 'none');
    await expectUntouched([begin, kept(PNG.profile.left), ...colours, data, end], 'none');
  });

  test('loses a colour profile that can’t be read, and one that unpacks without end', async () => {
    const bomb = joined(bytesOf('x\0\0'), Uint8Array.from(deflateSync(new Uint8Array(64 * 1024 * 1024))));
    const broken = [bytesOf('x\0\0none'), bytesOf('no end of its name'), bomb];
    for (const content of broken) await expectLeft([begin, dropped(pngChunk('iCCP', content)), data, end], 'image/png');
  });

  test('with a chunk beyond its end goes as it is', async () => {
    await expectUntouched([begin, ...metadata, kept(joined(uint(5000, 4), bytesOf('IDAT')))], 'unreadable');
  });
});

describe('A WebP picture', () => {
  test('keeps profile, transparency and orientation, and its header has the new size', async () => {
    await expectLeft([webp(5)], 'image/webp');
    await expectLeft([webp(5, 'Exif\0\0')], 'image/webp');
  });

  test('without metadata stays the very file that was chosen', async () => {
    await expectUntouched([kept(plainWebp)], 'none');
  });

  test('that is cut off goes as it is', async () => {
    await expectUntouched([kept(webp(1).bytes.slice(0, 300))], 'unreadable');
  });
});

describe('A HEIC or AVIF picture', () => {
  test('is written over where its metadata lies, and loses the film behind it', async () => {
    await expectLeft([heif()], 'image/heic');
    await expectLeft([heif({ brand: 'avif' })], 'image/avif');
    await expectLeft([heif({ inIdat: true })], 'image/heic');
  });

  test('as an encoder writes it loses its place, and keeps its orientation and every byte of its pixels', async () => {
    const photo = await readFile(join(import.meta.dirname, '../../../../../tests/fixtures/photo.heic'));
    const { file: left, stripping } = await stripMetadata(new File([photo], 'IMG_0001.heic'));
    const bytes = Buffer.from(await left.arrayBuffer());
    expect([stripping, bytes.length, photo.includes('13.4050E'), bytes.includes('13.4050E')]).toEqual([
      ...['stripped', photo.length, true, false],
    ]);
    // Behind the pixels this encoder wrote its Exif data, which begin with four bytes of their own, and its XMP.
    const exifAt = photo.indexOf('MM\0*');
    expect(bytes.subarray(0, exifAt - 4).equals(photo.subarray(0, exifAt - 4))).toBe(true);
    expect(readExif(bytes.subarray(exifAt))?.[0]).toEqual([{ tag: 274, type: 3, numbers: [6] }]);
  });

  test('is known by its first bytes, for browsers have no type for it', async () => {
    await expectLeft([heif()], '');
  });

  test('whose metadata lies beyond the file, on its pixels or on its boxes goes as it is', async () => {
    for (const extent of [
      [100_000, 40],
      [650, 200],
      [8, 100],
      [0, 4],
    ] as const) {
      await expectUntouched([kept(heif({ exifExtent: extent }).bytes)], 'unreadable');
    }
  });

  test('whose box is longer than the file goes as it is', async () => {
    await expectUntouched([kept(joined(heif().bytes, uint(1000, 4), bytesOf('mdat')))], 'unreadable');
  });
});

test('A file that is no such picture is left alone', async () => {
  await expectUntouched([kept(bytesOf('BM and more'))], 'none');
  await expectUntouched([kept(new Uint8Array(0))], 'none');
});

test('Size, resolution and colour space stay with the orientation', () => {
  const short = (tag: number, number: number) => ({ tag, type: 3, numbers: [number] });
  const ratio = (tag: number) => ({ tag, type: 5, numbers: [144, 1] });
  const index = { tag: 1, type: 2, numbers: [...bytesOf('R03\0')] };
  const all = [
    [short(274, 6), ratio(282), ratio(283), short(296, 2)],
    [short(0xa001, 0xffff), short(0xa002, 400), short(0xa003, 300)],
    [index],
  ] as const;
  expect(readExif(writeExif(all))).toEqual(all);
});
