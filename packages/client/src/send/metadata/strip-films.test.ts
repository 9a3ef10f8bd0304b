import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Bytes, bytesOf, joined } from './byte-reader.ts';
import { stripMetadata } from './strip-metadata.ts';
import { box, SECRET, uint } from './test-pictures.ts';

/** Films, GIF and TIFF: what is left of them, beside strip-metadata.test.ts. */

const secret = bytesOf(SECRET);
const zeros = (length: number) => new Uint8Array(length);
const noise = (length: number): Bytes => Uint8Array.from({ length }, (_, at) => (at * 167 + 31) % 251);

async function strip(bytes: Bytes, type = 'video/mp4') {
  const file = new File([bytes], 'film', { type });
  const { file: left, stripping } = await stripMetadata(file);
  return { stripping, isSame: left === file, bytes: Buffer.from(await left.arrayBuffer()) };
}

const full = (type: string, ...content: Bytes[]) => box(type, zeros(4), ...content);
const TIMES = uint(3_900_000_000, 4);

interface TrackOptions {
  readonly handler: string;
  readonly sampleAt: number;
  readonly sampleBytes: number;
  readonly entry?: Bytes;
}

/** A track of two samples in one chunk. */
function track({ handler, sampleAt, sampleBytes, entry = box('mp4a', zeros(28)) }: TrackOptions): Bytes {
  return box(
    'trak',
    full('tkhd', TIMES, TIMES, zeros(76)),
    box('udta', box('name', secret), box('kind', bytesOf('main'))),
    box(
      'mdia',
      full('mdhd', TIMES, TIMES, zeros(12)),
      full('hdlr', zeros(4), bytesOf(handler), zeros(12), secret, zeros(1)),
      box(
        'minf',
        box(
          'stbl',
          full('stsd', uint(1, 4), entry),
          full('stsc', uint(1, 4), uint(1, 4), uint(2, 4), uint(1, 4)),
          full('stsz', uint(0, 4), uint(2, 4), uint(sampleBytes - 3, 4), uint(3, 4)),
          full('stco', uint(1, 4), uint(sampleAt, 4)),
        ),
      ),
    ),
  );
}

const videoEntry = box(
  'avc1',
  zeros(12),
  bytesOf('appl'),
  zeros(26),
  uint(9, 1),
  bytesOf('MakerCam '),
  zeros(26),
  box('avcC', noise(20)),
);
const FTYP = box('ftyp', bytesOf('qt  '), zeros(4));
const frames = noise(400);
const telemetry = joined(secret, noise(50));

/** A film as phones and action cameras write it. */
function film({ sensorAt = FTYP.length + 8 + frames.length, handler = 'vide', movieMore = [] as Bytes[] } = {}): Bytes {
  const at = FTYP.length + 8;
  const movie = box(
    'moov',
    full('mvhd', TIMES, TIMES, zeros(88)),
    track({ handler, sampleAt: at, sampleBytes: frames.length, entry: videoEntry }),
    track({ handler: 'meta', sampleAt: sensorAt, sampleBytes: telemetry.length }),
    box('udta', box('\xa9xyz', secret), box('GPMF', secret), box('chpl', bytesOf('Chapter one')), zeros(4)),
    box('meta', full('hdlr', zeros(4), bytesOf('mdta'), zeros(13)), full('keys', secret)),
    ...movieMore,
  );
  return joined(FTYP, box('mdat', frames, telemetry), movie, box('uuid', secret), box('free', secret));
}

describe('A film', () => {
  test('loses place, device, times and the tracks of sensors, and no frame moves or changes', async () => {
    const before = Buffer.from(film());
    const after = await strip(film());
    expect([after.stripping, after.bytes.length]).toEqual(['stripped', before.length]);
    for (const word of [SECRET, 'MakerCam', 'appl']) expect(after.bytes.includes(word)).toBe(false);
    expect(after.bytes.includes(Buffer.from(TIMES))).toBe(false);
    expect(after.bytes.includes('Chapter one')).toBe(true);
    const at = FTYP.length + 8;
    expect(after.bytes.subarray(0, at + frames.length).equals(before.subarray(0, at + frames.length))).toBe(true);
    expect(
      after.bytes.subarray(at + frames.length, at + frames.length + telemetry.length).every((byte) => byte === 0),
    ).toBe(true);
    for (const table of ['stco', 'stsz', 'stsc', 'avcC']) {
      expect(after.bytes.indexOf(table)).toBe(before.indexOf(table));
    }
    expect(await strip(Uint8Array.from(after.bytes))).toMatchObject({ stripping: 'none', isSame: true });
  });

  test('as an encoder writes it loses coordinates and maker, and keeps every frame', async () => {
    const before = await readFile(join(import.meta.dirname, '../../../../../tests/fixtures/cases/place.mp4'));
    const { bytes, stripping } = await strip(Uint8Array.from(before));
    expect([stripping, bytes.length]).toEqual(['stripped', before.length]);
    expect(before.includes('+48.8584')).toBe(true);
    for (const word of ['+48.8584', 'location', 'loci', 'make', 'model'])
      expect(bytes.includes(word), word).toBe(false);
    // Two boxes, and the frames in a third.
    const endOfFrames = 4928;
    expect(bytes.subarray(0, endOfFrames).equals(before.subarray(0, endOfFrames))).toBe(true);
  });

  test.each([
    ['whose sensor’s samples lie on its frames', film({ sensorAt: FTYP.length + 100 })],
    ['whose sensor’s samples lie on its boxes', film({ sensorAt: 600 })],
    ['whose boxes are packed', film({ movieMore: [box('cmov', zeros(8))] })],
    ['whose box is longer than the file', joined(film(), uint(1000, 4), bytesOf('mdat'))],
    ['that is a raw photograph', joined(box('ftyp', bytesOf('crx '), zeros(4)), box('moov', box('uuid', secret)))],
  ])('%s goes as it is, and is named', async (_what, bytes) => {
    expect(await strip(bytes)).toMatchObject({ stripping: 'unreadable', isSame: true });
  });

  test('that is a song keeps title, artist and cover; a recorded voice loses its place', async () => {
    const song = (more: Bytes) =>
      joined(
        box('ftyp', bytesOf('M4A '), zeros(4)),
        box(
          'moov',
          box(
            'udta',
            full('meta', full('hdlr', zeros(4), bytesOf('mdir'), zeros(13)), box('ilst', bytesOf('Moonlight'))),
            more,
          ),
        ),
      );
    const { bytes, stripping } = await strip(song(box('\xa9xyz', secret)), 'audio/mp4');
    expect([stripping, bytes.includes('Moonlight'), bytes.includes(SECRET)]).toEqual(['stripped', true, false]);
    expect(await strip(song(box('free')), 'audio/mp4')).toMatchObject({ stripping: 'none' });
  });

  test('is told from a text that has the name of a box in its first line', async () => {
    expect(await strip(bytesOf('Set free, and moov on. ftyp too'), '')).toMatchObject({ stripping: 'none' });
  });
});

describe('A GIF picture', () => {
  const block = (...content: Bytes[]) =>
    joined(...content.map((bytes) => joined(uint(bytes.length, 1), bytes)), zeros(1));
  const head = joined(bytesOf('GIF89a'), noise(4), Uint8Array.of(0x80, 0, 0), noise(6));
  const loops = joined(Uint8Array.of(0x21, 0xff), block(bytesOf('NETSCAPE2.0'), Uint8Array.of(1, 0, 0)));
  const control = joined(Uint8Array.of(0x21, 0xf9), block(zeros(4)));
  const image = joined(
    Uint8Array.of(0x2c),
    zeros(8),
    Uint8Array.of(0x81),
    noise(12),
    uint(8, 1),
    block(noise(255), noise(90)),
  );
  const end = uint(0x3b, 1);
  const comment = joined(Uint8Array.of(0x21, 0xfe), block(secret));
  const xmp = joined(Uint8Array.of(0x21, 0xff), block(bytesOf('XMP DataXMP'), secret));

  test('loses comments, XMP and what follows its end, and keeps its frames and how often they repeat', async () => {
    const { bytes, stripping } = await strip(
      joined(head, comment, loops, xmp, control, image, comment, control, image, end, secret),
      'image/gif',
    );
    expect(stripping).toBe('stripped');
    expect(bytes.equals(joined(head, loops, control, image, control, image, end))).toBe(true);
  });

  test('with a long animation is followed to its end', async () => {
    const long = joined(
      Uint8Array.of(0x2c),
      zeros(9),
      uint(8, 1),
      block(...Array.from({ length: 3000 }, () => noise(255))),
    );
    const { bytes } = await strip(joined(head, long, comment, end), 'image/gif');
    expect(bytes.equals(joined(head, long, end))).toBe(true);
  });

  test('without metadata stays the very file; one that is cut off goes as it is', async () => {
    expect(await strip(joined(head, loops, image, end), 'image/gif')).toMatchObject({
      stripping: 'none',
      isSame: true,
    });
    expect(await strip(joined(head, image.subarray(0, 60)), 'image/gif')).toMatchObject({ stripping: 'unreadable' });
  });
});

describe('A TIFF picture', () => {
  type Value = number | Bytes;
  /** One directory; a far value lies behind it in the order of the entries. */
  function tiff(entries: readonly (readonly [tag: number, type: number, value: Value])[], isLittle = true): Bytes {
    const number = (value: number, length: number) => uint(value, length, isLittle);
    const pixels = noise(64);
    const directoryAt = 8 + pixels.length;
    let at = directoryAt + 2 + 12 * entries.length + 4;
    const far: Bytes[] = [];
    const written = entries.map(([tag, type, value]) => {
      if (typeof value === 'number')
        return joined(
          number(tag, 2),
          number(type, 2),
          number(1, 4),
          number(value, type === 3 ? 2 : 4),
          zeros(type === 3 ? 2 : 0),
        );
      far.push(value);
      at += value.length;
      return joined(number(tag, 2), number(type, 2), number(value.length, 4), number(at - value.length, 4));
    });
    return joined(
      bytesOf(isLittle ? 'II' : 'MM'),
      number(42, 2),
      number(directoryAt, 4),
      pixels,
      number(entries.length, 2),
      ...written,
      zeros(4),
      ...far,
    );
  }
  const picture = [
    [256, 3, 8],
    [257, 3, 8],
    [258, 3, 8],
    [259, 3, 1],
    [262, 3, 1],
    [273, 4, 8],
    [274, 3, 6],
    [279, 4, 64],
  ] as const;
  const device = [
    [271, 2, secret],
    [272, 2, secret],
    [306, 2, secret],
    [700, 1, secret],
  ] as const;

  test.each([true, false])('loses maker, times and XMP where they lie, in either order of bytes', async (isLittle) => {
    const before = tiff([...picture, ...device], isLittle);
    const { bytes, stripping } = await strip(before, 'image/tiff');
    expect([stripping, bytes.length, bytes.includes('4711')]).toEqual(['stripped', before.length, false]);
    const bare = tiff(picture, isLittle);
    expect(bytes.subarray(0, bare.length).equals(bare)).toBe(true);
    expect(bytes.subarray(bare.length).every((byte) => byte === 0)).toBe(true);
    expect(await strip(bare, 'image/tiff')).toMatchObject({ stripping: 'none', isSame: true });
  });

  test('loses the directory of its camera with all that it points to', async () => {
    const pointing = (at: number) => tiff([...picture, [34_665, 4, at]]);
    const exifAt = pointing(0).length;
    const note = joined(
      uint(0x927c, 2, true),
      uint(7, 2, true),
      uint(secret.length, 4, true),
      uint(exifAt + 18, 4, true),
    );
    const before = joined(pointing(exifAt), uint(1, 2, true), note, zeros(4), secret);
    const { bytes, stripping } = await strip(before, 'image/tiff');
    expect([stripping, bytes.length, bytes.includes('4711')]).toEqual(['stripped', before.length, false]);
    const bare = tiff(picture);
    expect(bytes.subarray(0, bare.length).equals(bare)).toBe(true);
    expect(bytes.subarray(bare.length).every((byte) => byte === 0)).toBe(true);
  });

  test('whose metadata lies on its pixels goes as it is', async () => {
    const shared = tiff([...picture, [271, 2, secret]]);
    new DataView(shared.buffer).setUint32(72 + 2 + 12 * picture.length + 8, 20, true);
    expect(await strip(shared, 'image/tiff')).toMatchObject({ stripping: 'unreadable', isSame: true });
  });

  test.each([
    [
      'a raw photograph',
      [...picture.map((entry) => (entry[0] === 262 ? ([262, 3, 32803] as const) : entry)), ...device],
    ],
    ['a negative', [...picture, ...device, [50706, 1, bytesOf('\x01\x04\0\0\0')] as const]],
    ['a map', [...picture, ...device, [34735, 3, 1] as const]],
  ])('that is %s goes as it is, and is named', async (_what, entries) => {
    expect(await strip(tiff(entries), 'image/tiff')).toMatchObject({ stripping: 'unreadable', isSame: true });
  });
});
