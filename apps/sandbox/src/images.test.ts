import { crc32, inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawBanner, drawDefaultAvatar, drawPortrait, drawPortraitFrames } from './drawings.ts';
import { encodeGif } from './gif.ts';
import { personas } from './personas.ts';
import { encodePng } from './png.ts';
import { type Raster, scaleRaster, splitRgb } from './raster.ts';
import { decodeGif, decodeWebp } from './test-decoders.ts';
import { encodeWebp } from './webp.ts';

const colours = ({ palette, pixels }: Raster) => [...pixels].map((pixel) => palette[pixel] ?? -1);

/** Pictures of any size and look: noise, stripes, and areas of one colour. */
const rasters = fc
  .record({
    width: fc.integer({ min: 1, max: 70 }),
    height: fc.integer({ min: 1, max: 70 }),
    palette: fc.array(fc.integer({ min: 0, max: 0xffffff }), { minLength: 1, maxLength: 40 }),
    seed: fc.integer(),
    period: fc.constantFrom(1, 2, 3, 50, 100_000),
  })
  .map(({ width, height, palette, seed, period }): Raster => {
    const pixels = Uint8Array.from({ length: width * height }, (_, at) => {
      const mixed = Math.imul((at % period) ^ seed, 0x9e3779b1);
      return ((mixed ^ (mixed >>> 15)) >>> 0) % palette.length;
    });
    return { width, height, palette, pixels };
  });

const drawn: [string, Raster][] = [
  ...personas.map(({ name, look }): [string, Raster] => [name, scaleRaster(drawPortrait(look), 64, 64)]),
  ['banner', scaleRaster(drawBanner(0x8f5bd6), 320, 128)],
  ['default avatar', drawDefaultAvatar(4)],
];

function decodePng(png: Buffer) {
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const body = png.subarray(at + 4, at + 8 + length);
    expect(png.readUInt32BE(at + 8 + length)).toBe(crc32(body));
    chunks.set(body.toString('latin1', 0, 4), body.subarray(4));
    at += 12 + length;
  }
  const header = chunks.get('IHDR') ?? Buffer.alloc(13);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const scanlines = inflateSync(chunks.get('IDAT') ?? Buffer.alloc(0));
  const palette = chunks.get('PLTE') ?? Buffer.alloc(0);
  const pixels = [...scanlines].filter((_, at) => at % (width + 1) > 0);
  return { width, height, colours: pixels.map((pixel) => palette.readUIntBE(pixel * 3, 3)) };
}

describe('an encoded picture decodes to the very colours drawn', () => {
  test.each(drawn)('%s', (_, raster) => {
    const expected = { width: raster.width, height: raster.height, colours: colours(raster) };
    expect(decodePng(encodePng(raster))).toEqual(expected);
    expect(decodeWebp(encodeWebp(raster))).toEqual(expected);
    expect(decodeGif(encodeGif([raster], 100)).frames).toEqual([expected.colours]);
  });

  test('any', () => {
    fc.assert(
      fc.property(rasters, (raster) => {
        const expected = { width: raster.width, height: raster.height, colours: colours(raster) };
        expect(decodePng(encodePng(raster))).toEqual(expected);
        expect(decodeWebp(encodeWebp(raster))).toEqual(expected);
        expect(decodeGif(encodeGif([raster], 100)).frames).toEqual([expected.colours]);
      }),
    );
  });

  test('noise large enough to fill the code table of a GIF several times', () => {
    const palette = Array.from({ length: 256 }, (_, index) => index * 0x010101);
    const pixels = Uint8Array.from({ length: 40_000 }, (_, at) => (Math.imul(at ^ (at >> 3), 0x9e3779b1) >>> 24) & 255);
    const raster = { width: 200, height: 200, palette, pixels };
    expect(decodeGif(encodeGif([raster], 100)).frames).toEqual([colours(raster)]);
  });
});

test('an animation has several frames that differ, and repeats', () => {
  const look = personas.find(({ name }) => name === 'ava')?.look ?? personas[0]?.look;
  const [first, ...rest] = drawPortraitFrames(look!);
  const gif = decodeGif(encodeGif([first, ...rest], 160));
  expect(gif).toMatchObject({ width: 16, height: 16, delaysMs: Array(8).fill(160), repeats: true });
  expect(new Set(gif.frames.map((frame) => frame.join())).size).toBe(8);
});

test('scaling repeats pixels', () => {
  const raster = { width: 2, height: 1, palette: [1, 2], pixels: Uint8Array.of(0, 1) };
  expect([...scaleRaster(raster, 4, 2).pixels]).toEqual([0, 0, 1, 1, 0, 0, 1, 1]);
});

test('every drawing fills its frame with colours of its palette', () => {
  for (const [, { width, height, palette, pixels }] of drawn) {
    expect(pixels.length).toBe(width * height);
    expect(Math.max(...pixels)).toBeLessThan(palette.length);
  }
  expect(splitRgb(0x123456)).toEqual([0x12, 0x34, 0x56]);
});
