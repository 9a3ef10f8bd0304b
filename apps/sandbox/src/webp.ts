import { createBitWriter } from './bit-writer.ts';
import { type Raster, splitRgb } from './raster.ts';

// Section numbers are those of the WebP lossless bitstream, RFC 9649 §3.

type BitWriter = ReturnType<typeof createBitWriter>;
type Code = ReadonlyMap<number, { bits: number; length: number }>;

/** One step: a pixel as it is, or a run copied from the pixel above (distance code 0) or to the left (1). */
type Step = { pixel: number } | { runLength: number; distanceCode: 0 | 1 };

const FIRST_LENGTH_SYMBOL = 256;
const GREEN_ALPHABET = 280;
const MIN_RUN = 3;
const MAX_RUN = 4096;

function findSteps({ width, pixels }: Raster): Step[] {
  const runFrom = (start: number, offset: number) => {
    if (start < offset) return 0;
    let end = start;
    while (end < pixels.length && end - start < MAX_RUN && pixels[end] === pixels[end - offset]) end += 1;
    return end - start;
  };
  const steps: Step[] = [];
  for (let at = 0; at < pixels.length; ) {
    const above = runFrom(at, width);
    const left = runFrom(at, 1);
    const runLength = Math.max(above, left);
    if (runLength < MIN_RUN) {
      steps.push({ pixel: pixels[at] ?? 0 });
      at += 1;
    } else {
      steps.push({ runLength, distanceCode: above >= left ? 0 : 1 });
      at += runLength;
    }
  }
  return steps;
}

/** A length as prefix symbol and extra bits (§3.6.2.2). */
function splitLength(length: number): { symbol: number; extra: number; extraBits: number } {
  if (length <= 4) return { symbol: length - 1, extra: 0, extraBits: 0 };
  const rest = length - 1;
  const highBit = 31 - Math.clz32(rest);
  const extraBits = highBit - 1;
  return { symbol: 2 * highBit + ((rest >> extraBits) & 1), extra: rest & ((1 << extraBits) - 1), extraBits };
}

const reverseBits = (value: number, length: number) => {
  let reversed = 0;
  for (let bit = 0; bit < length; bit++) reversed |= ((value >> bit) & 1) << (length - 1 - bit);
  return reversed;
};

/**
 * Writes a prefix code in which every symbol is as long as the others. A decoder wants a full tree, hence symbols
 * that never occur fill it up to a power of two. Not the shortest, but these pictures have a handful of symbols.
 */
function writeCode(writer: BitWriter, used: Iterable<number>, alphabet: number): Code {
  const symbols = new Set(used);
  const only = symbols.size === 1 ? [...symbols][0] : undefined;
  if (only !== undefined) {
    // §3.7.2.1.1: a "simple" code of one symbol, of 8 bits, that takes no bits afterwards.
    writer.write(0b101, 3);
    writer.write(only, 8);
    return new Map([[only, { bits: 0, length: 0 }]]);
  }
  const length = Math.ceil(Math.log2(symbols.size));
  for (let filler = 0; symbols.size < 1 << length; filler++) symbols.add(filler);
  // §3.7.2.1.2: the code lengths are themselves coded, here with one bit: 0 for "unused", 1 for `length`.
  const order = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
  const last = Math.max(order.indexOf(length), 3);
  writer.write(0, 1);
  writer.write(last + 1 - 4, 4);
  for (const lengthSymbol of order.slice(0, last + 1))
    writer.write(lengthSymbol === 0 || lengthSymbol === length ? 1 : 0, 3);
  writer.write(0, 1);
  for (let symbol = 0; symbol < alphabet; symbol++) writer.write(symbols.has(symbol) ? 1 : 0, 1);
  const sorted = [...symbols].sort((one, other) => one - other);
  return new Map(sorted.map((symbol, rank) => [symbol, { bits: reverseBits(rank, length), length }]));
}

function writeSymbol(writer: BitWriter, code: Code, symbol: number) {
  const word = code.get(symbol);
  if (word === undefined) throw new Error(`No code for symbol ${symbol}.`);
  writer.write(word.bits, word.length);
}

function writeImage(writer: BitWriter, raster: Raster) {
  const steps = findSteps(raster);
  const colours = raster.palette.map(splitRgb);
  const colourOf = (pixel: number) => colours[pixel] ?? [0, 0, 0];
  const literals = steps.flatMap((step) => ('pixel' in step ? [colourOf(step.pixel)] : []));
  const lengths = steps.flatMap((step) =>
    'pixel' in step ? [] : [FIRST_LENGTH_SYMBOL + splitLength(step.runLength).symbol],
  );
  const green = writeCode(writer, [...literals.map(([, value]) => value), ...lengths], GREEN_ALPHABET);
  const red = writeCode(
    writer,
    literals.map(([value]) => value),
    256,
  );
  const blue = writeCode(
    writer,
    literals.map(([, , value]) => value),
    256,
  );
  writeCode(writer, [255], 256);
  const distance = writeCode(writer, [0, 1], 40);
  for (const step of steps) {
    if ('pixel' in step) {
      const [redValue, greenValue, blueValue] = colourOf(step.pixel);
      writeSymbol(writer, green, greenValue);
      writeSymbol(writer, red, redValue);
      writeSymbol(writer, blue, blueValue);
      continue;
    }
    const { symbol, extra, extraBits } = splitLength(step.runLength);
    writeSymbol(writer, green, FIRST_LENGTH_SYMBOL + symbol);
    writer.write(extra, extraBits);
    writeSymbol(writer, distance, step.distanceCode);
  }
}

/** A lossless WebP (RFC 9649), without transforms or a colour cache. */
export function encodeWebp(raster: Raster): Buffer {
  const writer = createBitWriter();
  writer.write(0x2f, 8);
  writer.write(raster.width - 1, 14);
  writer.write(raster.height - 1, 14);
  // No alpha (1 bit), version 0 (3), no transform (1), no colour cache (1), one group of codes (1).
  writer.write(0, 7);
  writeImage(writer, raster);
  const data = writer.finish();
  const padding = Buffer.alloc(data.length % 2);
  const header = Buffer.alloc(20);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(12 + data.length + padding.length, 4);
  header.write('WEBPVP8L', 8, 'latin1');
  header.writeUInt32LE(data.length, 16);
  return Buffer.concat([header, data, padding]);
}
