/** Decoders for the tests, written from the formats' documents and not from the encoders. */

function createBitReader(bytes: Buffer) {
  let at = 0;
  const bit = () => {
    const byte = bytes[at >> 3];
    if (byte === undefined) throw new Error('The data ends too early.');
    return (byte >> (at++ & 7)) & 1;
  };
  return {
    bit,
    read(count: number) {
      let value = 0;
      for (let index = 0; index < count; index++) value |= bit() << index;
      return value;
    },
  };
}
type BitReader = ReturnType<typeof createBitReader>;

function inflateLzw(data: Buffer, codeBits: number): number[] {
  const reader = createBitReader(data);
  const clear = 1 << codeBits;
  const roots = Array.from({ length: clear + 2 }, (_, index) => [index]);
  const out: number[] = [];
  let table = [...roots];
  let width = codeBits + 1;
  let previous: number[] | null = null;
  for (;;) {
    const code = reader.read(width);
    if (code === clear + 1) return out;
    if (code === clear) {
      table = [...roots];
      width = codeBits + 1;
      previous = null;
      continue;
    }
    const entry: number[] | undefined = table[code] ?? (previous && [...previous, previous[0] ?? 0]) ?? undefined;
    if (entry === undefined || code > table.length) throw new Error(`Unknown LZW code ${code}.`);
    out.push(...entry);
    if (previous !== null && table.length < 4096) table.push([...previous, entry[0] ?? 0]);
    if (table.length === 1 << width && width < 12) width += 1;
    previous = entry;
  }
}

function readSubBlocks(gif: Buffer, start: number): { data: Buffer; end: number } {
  const parts: Buffer[] = [];
  let at = start;
  for (let length = gif.readUInt8(at); length > 0; length = gif.readUInt8(at)) {
    parts.push(gif.subarray(at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { data: Buffer.concat(parts), end: at + 1 };
}

export function decodeGif(gif: Buffer) {
  if (gif.toString('latin1', 0, 6) !== 'GIF89a') throw new Error('Not a GIF.');
  const colourCount = 2 << (gif.readUInt8(10) & 7);
  const result = {
    width: gif.readUInt16LE(6),
    height: gif.readUInt16LE(8),
    repeats: false,
    delaysMs: [] as number[],
    frames: [] as number[][],
  };
  let at = 13 + colourCount * 3;
  while (gif[at] !== 0x3b) {
    if (gif[at] === 0x21) {
      if (gif[at + 1] === 0xf9) result.delaysMs.push(gif.readUInt16LE(at + 4) * 10);
      if (gif[at + 1] === 0xff) result.repeats = gif.toString('latin1', at + 3, at + 14) === 'NETSCAPE2.0';
      at = readSubBlocks(gif, at + 2).end;
      continue;
    }
    if (gif[at] !== 0x2c) throw new Error(`Unknown block at ${at}.`);
    const { data, end } = readSubBlocks(gif, at + 11);
    const pixels = inflateLzw(data, gif.readUInt8(at + 10));
    result.frames.push(pixels.map((pixel) => gif.readUIntBE(13 + pixel * 3, 3)));
    at = end;
  }
  if (at !== gif.length - 1) throw new Error('Bytes follow the end of the GIF.');
  return result;
}

type PrefixCode = () => number;

/** Canonical prefix codes, read one bit at a time (RFC 9649 §3.7.2.1; the order is that of Deflate). */
function prefixCode(reader: BitReader, lengths: readonly number[]): PrefixCode {
  const used = lengths.filter((length) => length > 0);
  const filling = used.reduce((sum, length) => sum + 2 ** -length, 0);
  if (filling !== 1) throw new Error('The code tree is not full.');
  // By the word with a one before it, so that words of different lengths differ.
  const words = new Map<number, number>();
  let next = 0;
  for (let length = 1; length <= 15; length++) {
    for (const [symbol, ofSymbol] of lengths.entries()) {
      if (ofSymbol === length) words.set((1 << length) | next++, symbol);
    }
    next *= 2;
  }
  return () => {
    for (let word = 1; ; ) {
      word = (word << 1) | reader.bit();
      const symbol = words.get(word);
      if (symbol !== undefined) return symbol;
    }
  };
}

function readSimpleCode(reader: BitReader): PrefixCode {
  const two = reader.bit() === 1;
  const first = reader.read(reader.bit() === 1 ? 8 : 1);
  if (!two) return () => first;
  const second = reader.read(8);
  return () => (reader.bit() === 1 ? second : first);
}

function readPrefixCode(reader: BitReader, alphabet: number): PrefixCode {
  if (reader.bit() === 1) return readSimpleCode(reader);
  const order = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
  const lengthLengths = Array<number>(19).fill(0);
  const count = 4 + reader.read(4);
  for (const symbol of order.slice(0, count)) lengthLengths[symbol] = reader.read(3);
  if (reader.bit() === 1) throw new Error('A shortened alphabet is not expected here.');
  const readLength = prefixCode(reader, lengthLengths);
  const lengths = Array.from({ length: alphabet }, () => readLength());
  if (lengths.some((length) => length > 15)) throw new Error('Repeated lengths are not expected here.');
  return prefixCode(reader, lengths);
}

function readPrefixed(reader: BitReader, symbol: number): number {
  if (symbol < 4) return symbol + 1;
  const extraBits = (symbol - 2) >> 1;
  return ((2 + (symbol & 1)) << extraBits) + reader.read(extraBits) + 1;
}

export function decodeWebp(webp: Buffer) {
  const tags = [webp.toString('latin1', 0, 4), webp.toString('latin1', 8, 16)];
  if (tags.join() !== 'RIFF,WEBPVP8L' || webp.readUInt32LE(4) !== webp.length - 8) throw new Error('Not a WebP.');
  const reader = createBitReader(webp.subarray(20, 20 + webp.readUInt32LE(16)));
  if (reader.read(8) !== 0x2f) throw new Error('Not a lossless WebP.');
  const [width, height] = [reader.read(14) + 1, reader.read(14) + 1];
  if (reader.read(7) !== 0) throw new Error('Transforms, caches and groups are not expected here.');
  const [green, red, blue, alpha, distance] = [280, 256, 256, 256, 40].map((size) => readPrefixCode(reader, size));
  const colours: number[] = [];
  while (colours.length < width * height) {
    const symbol = green!();
    if (symbol < 256) {
      const [redValue, blueValue, alphaValue] = [red!(), blue!(), alpha!()];
      if (alphaValue !== 255) throw new Error('Transparent pixels are not expected here.');
      colours.push((redValue << 16) | (symbol << 8) | blueValue);
      continue;
    }
    const length = readPrefixed(reader, symbol - 256);
    const back = [width, 1][readPrefixed(reader, distance!()) - 1];
    if (back === undefined) throw new Error('Other distances are not expected here.');
    for (let step = 0; step < length; step++) colours.push(colours[colours.length - back] ?? Number.NaN);
  }
  return { width, height, colours };
}
