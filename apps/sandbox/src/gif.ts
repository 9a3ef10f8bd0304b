import { createBitWriter } from './bit-writer.ts';
import { type Raster, splitRgb } from './raster.ts';

const MAX_CODE_BITS = 12;

/** LZW with codes that grow from `codeBits + 1` to 12 bits (GIF89a, appendix F). */
function compress(pixels: Uint8Array, codeBits: number): Buffer {
  const clearCode = 1 << codeBits;
  const endCode = clearCode + 1;
  const writer = createBitWriter();
  let codes = new Map<number, number>();
  let width = codeBits + 1;
  let next = endCode + 1;
  writer.write(clearCode, width);
  let prefix = pixels[0] ?? 0;
  for (const pixel of pixels.subarray(1)) {
    const word = (prefix << 8) | pixel;
    const known = codes.get(word);
    if (known !== undefined) {
      prefix = known;
      continue;
    }
    writer.write(prefix, width);
    prefix = pixel;
    if (next === 1 << MAX_CODE_BITS) {
      writer.write(clearCode, width);
      codes = new Map();
      width = codeBits + 1;
      next = endCode + 1;
      continue;
    }
    if (next === 1 << width) width += 1;
    codes.set(word, next);
    next += 1;
  }
  writer.write(prefix, width);
  // The decoder adds an entry at that last code, too, and may by it have come to the next width.
  if (next === 1 << width && width < MAX_CODE_BITS) width += 1;
  writer.write(endCode, width);
  return writer.finish();
}

function subBlocks(data: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < data.length; at += 255) {
    const block = data.subarray(at, at + 255);
    parts.push(Buffer.from([block.length]), block);
  }
  return Buffer.concat([...parts, Buffer.from([0])]);
}

function uint16(...values: number[]): Buffer {
  return Buffer.from(values.flatMap((value) => [value & 255, value >> 8]));
}

/** An animated GIF89a that repeats for ever. All frames share the first one's size and palette. */
export function encodeGif(frames: readonly [Raster, ...Raster[]], frameDelayMs: number): Buffer {
  const { width, height, palette } = frames[0];
  const codeBits = Math.max(2, Math.ceil(Math.log2(palette.length)));
  const colours = Buffer.alloc(3 << codeBits);
  colours.set(palette.flatMap(splitRgb));
  const head = [
    Buffer.from('GIF89a', 'latin1'),
    uint16(width, height),
    Buffer.from([0x80 | (codeBits - 1), 0, 0]),
    colours,
    Buffer.from([0x21, 0xff, 11]),
    Buffer.from('NETSCAPE2.0', 'latin1'),
    Buffer.from([3, 1, 0, 0, 0]),
  ];
  const body = frames.flatMap((frame) => [
    Buffer.from([0x21, 0xf9, 4, 0x04]),
    uint16(Math.round(frameDelayMs / 10)),
    Buffer.from([0, 0, 0x2c]),
    uint16(0, 0, width, height),
    Buffer.from([0, codeBits]),
    subBlocks(compress(frame.pixels, codeBits)),
  ]);
  return Buffer.concat([...head, ...body, Buffer.from([0x3b])]);
}
