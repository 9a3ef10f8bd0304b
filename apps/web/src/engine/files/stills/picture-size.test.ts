import { expect, test } from 'vitest';
import { pictureSize } from './picture-size.ts';

const bytes = (...parts: (string | readonly number[])[]): Uint8Array =>
  Uint8Array.from(
    parts.flatMap((part) => (typeof part === 'string' ? [...part].map((one) => one.charCodeAt(0)) : [...part])),
  );
const zeros = (length: number): number[] => new Array<number>(length).fill(0);
const uint32 = (value: number): number[] => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];

const PNG = bytes([0x89], 'PNG\r\n\x1a\n', uint32(13), 'IHDR', uint32(30_000), uint32(20));
const FRAME = [0xff, 0xc2, 0, 17, 8, 0x03, 0x20, 0x04, 0xb0];
const JPEG = bytes([0xff, 0xd8, 0xff, 0xe1, 0, 6], 'Exif', [0xff, 0xff, 0xc4, 0, 4, 1, 2], FRAME);
const LOSSY = bytes('RIFF', zeros(4), 'WEBPVP8 ', zeros(7), [0x9d, 0x01, 0x2a], [0x40, 0x01, 0xf0, 0x00]);
const LOSSLESS = bytes('RIFF', zeros(4), 'WEBPVP8L', zeros(4), [0x2f, 0x3f, 0xc1, 0x3b, 0x00]);
const EXTENDED = bytes('RIFF', zeros(4), 'WEBPVP8X', zeros(8), [0xff, 0x04, 0x00, 0xcf, 0x02, 0x00]);
const GIF = bytes('GIF89a', [0x80, 0x02, 0xe0, 0x01]);
const BMP = bytes('BM', zeros(12), [40, 0, 0, 0], [0x40, 0x01, 0, 0], [0x10, 0xff, 0xff, 0xff]);
const AVIF = bytes(uint32(24), 'ftypavif', zeros(12), uint32(20), 'ispe', zeros(4), uint32(64), uint32(64)).slice();
const BOXES = bytes([...AVIF], uint32(20), 'ispe', zeros(4), uint32(4000), uint32(3000));

test.each([
  ['a PNG', PNG, [30_000, 20]],
  ['a JPEG behind metadata and fill bytes', JPEG, [1200, 800]],
  ['a lossy WebP', LOSSY, [320, 240]],
  ['a lossless WebP', LOSSLESS, [320, 240]],
  ['an extended WebP', EXTENDED, [1280, 720]],
  ['a GIF', GIF, [640, 480]],
  ['a BMP that lies upside down', BMP, [320, 240]],
  ['the largest image of an AVIF', BOXES, [4000, 3000]],
])('the size of %s is read from its first bytes', (_name, head, [widthPx, heightPx]) => {
  expect(pictureSize(head)).toEqual({ widthPx, heightPx });
});

test.each([
  ['nothing', bytes()],
  ['text', bytes('A picture is worth a thousand words, and more than that.')],
  ['an SVG', bytes('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
  ['a JPEG that ends before its size', JPEG.subarray(0, 20)],
  ['a PNG of which one word is left', PNG.subarray(0, 18)],
  ['a JPEG whose segments never end', bytes([0xff, 0xd8], new Array<number>(400).fill(0xff))],
])('%s has no size', (_name, head) => {
  expect(pictureSize(head)).toBeNull();
});
