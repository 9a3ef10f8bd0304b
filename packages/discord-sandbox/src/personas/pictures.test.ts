import { readdirSync, readFileSync } from 'node:fs';
import { crc32, inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { personas } from './personas.ts';
import { decodeGif, decodeWebp } from './test-decoders.ts';

const folder = new URL('./pictures/', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, folder));

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

const bytesOf = (colours: readonly number[]) => Buffer.from(Float64Array.from(colours).buffer);

function widths(largest: number): number[] {
  return largest < 16 ? [] : [...widths(largest / 2), largest];
}

const avatars = personas.filter(({ user }) => user.avatar !== null);
const stills = [
  ...avatars.flatMap(({ name }) => widths(512).map((width) => ['avatars', name, width, width] as const)),
  ...personas
    .filter(({ user }) => user.banner !== null)
    .flatMap(({ name }) => widths(1024).map((width) => ['banners', name, width, Math.round(width * 0.4)] as const)),
];
const moving = avatars.filter(({ user }) => user.avatar?.startsWith('a_'));

describe('a picture', () => {
  test.each(stills)(
    'of %s, %s, %i pixels wide, is as large as its name says, and the same as PNG and as WebP',
    (...still) => {
      const [kind, name, width, height] = still;
      const png = decodePng(read(`${kind}/${name}-${width}.png`));
      expect(png).toMatchObject({ width, height });
      expect(png.colours.length).toBe(width * height);
      expect(new Set(png.colours).size).toBeGreaterThan(3);
      const { colours, ...size } = decodeWebp(read(`${kind}/${name}-${width}.webp`));
      expect(size).toEqual({ width, height });
      // As bytes: comparing half a million numbers one by one takes most of a second.
      expect(bytesOf(colours).equals(bytesOf(png.colours))).toBe(true);
    },
  );

  test.each(moving.flatMap(({ name }) => widths(512).map((width) => [name, width] as const)))(
    'that moves, of %s, %i pixels wide, begins with the still one, has frames that differ, and repeats',
    (name, width) => {
      const gif = decodeGif(read(`avatars/${name}-${width}.gif`));
      expect(gif).toMatchObject({ width, height: width, delaysMs: Array(8).fill(160), repeats: true });
      expect(gif.frames.every((frame) => frame.length === width * width)).toBe(true);
      expect(new Set(gif.frames.map((frame) => frame.join())).size).toBe(8);
      const still = decodePng(read(`avatars/${name}-${width}.png`)).colours;
      const differing = gif.frames[0]!.filter((colour, at) => colour !== still[at]).length;
      expect(differing / still.length).toBeLessThan(0.1);
    },
  );

  test('of an account without one is 256 pixels wide, and differs from the others', () => {
    const defaults = Array.from({ length: 6 }, (_, index) => decodePng(read(`default-avatars/${index}.png`)));
    for (const { width, height } of defaults) expect([width, height]).toEqual([256, 256]);
    expect(new Set(defaults.map(({ colours }) => colours.join())).size).toBe(6);
  });

  test('is there for no other name and in no other size', () => {
    const known = [
      ...stills.flatMap(([kind, name, width]) => [`${kind}/${name}-${width}.png`, `${kind}/${name}-${width}.webp`]),
      ...moving.flatMap(({ name }) => widths(512).map((width) => `avatars/${name}-${width}.gif`)),
      ...Array.from({ length: 6 }, (_, index) => `default-avatars/${index}.png`),
    ];
    const kinds = readdirSync(folder);
    const present = kinds.flatMap((kind) => readdirSync(new URL(`${kind}/`, folder)).map((file) => `${kind}/${file}`));
    expect(present.sort()).toEqual(known.sort());
  });
});
