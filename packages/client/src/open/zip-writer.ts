import type { Bytes } from '@satchel/container/format';

/**
 * Writes a zip in one pass, for files of any size (APPNOTE.TXT 6.3.10). A file's bytes lie in it as they are, within blocks of
 * DEFLATE that hold stored bytes: such a file says itself where it ends, so a program that reads the zip as a stream finds the next
 * one. "Stored" files with their sizes and sums behind them, which need no blocks, are refused by those programs (ADR 039).
 */

export interface ZipInput {
  /** Its path in the zip. */
  readonly name: string;
  readonly modifiedMs: number;
  /** What the list says; it decides how wide the sizes behind the file are. */
  readonly sizeBytes: number;
  readonly content: AsyncIterable<Bytes>;
}

/** The most that a stored block holds (RFC 1951 §3.2.4). */
const BLOCK_BYTES = 0xffff;
const BLOCK_HEAD_BYTES = 5;
const MAX_32 = 0xffffffff;
const MAX_16 = 0xffff;

/** "Sizes and sum lie behind the file", and "names are UTF-8". */
const FLAGS = 0x0808;
const DEFLATE = 8;
const NEEDS = 20;
/** For fields of 64 bits. */
const NEEDS_ZIP64 = 45;
/** Unix, so that the attributes are its modes: a file that its owner may write, and others read. */
const MADE_BY = (3 << 8) | NEEDS_ZIP64;
const MODE = 0o100644 << 16;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** CRC-32 of `bytes` after what has the sum `crc`. */
function crc32Of(bytes: Bytes, crc: number): number {
  let sum = ~crc;
  for (const byte of bytes) sum = (sum >>> 8) ^ (CRC_TABLE[(sum ^ byte) & 0xff] ?? 0);
  return ~sum >>> 0;
}

/** Little-endian fields: each a width in bytes and a value. */
function record(...fields: readonly (readonly [width: 2 | 4 | 8, value: number])[]): Bytes {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [width]) => sum + width, 0)));
  let at = 0;
  for (const [width, value] of fields) {
    if (width === 2) view.setUint16(at, value, true);
    else if (width === 4) view.setUint32(at, value, true);
    else view.setBigUint64(at, BigInt(value), true);
    at += width;
  }
  return new Uint8Array(view.buffer);
}

function joined(...parts: readonly Bytes[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** By this device's clock, as the format wants it, and no earlier or later than the format can say. */
function dosTime(modifiedMs: number): { readonly time: number; readonly date: number } {
  const moment = new Date(modifiedMs);
  const year = moment.getFullYear();
  if (!(year >= 1980)) return { time: 0, date: (1 << 5) | 1 };
  if (year > 2107) return { time: (23 << 11) | (59 << 5) | 29, date: (127 << 9) | (12 << 5) | 31 };
  const time = (moment.getHours() << 11) | (moment.getMinutes() << 5) | (moment.getSeconds() >> 1);
  return { time, date: ((year - 1980) << 9) | ((moment.getMonth() + 1) << 5) | moment.getDate() };
}

/** The same in seconds since 1970, for all time zones; nothing beyond what 32 bits hold. */
function unixTime(modifiedMs: number): Bytes {
  const seconds = Math.floor(modifiedMs / 1000);
  if (Math.abs(seconds) >= 2 ** 31) return new Uint8Array();
  return joined(record([2, 0x5455], [2, 5]), new Uint8Array([1]), record([4, seconds >>> 0]));
}

/** How many bytes a file has within its blocks. */
const packedSize = (sizeBytes: number): number =>
  sizeBytes + BLOCK_HEAD_BYTES * (Math.floor(sizeBytes / BLOCK_BYTES) + 1);

const blockHead = (sizeBytes: number, isLast: boolean): Bytes =>
  joined(new Uint8Array([isLast ? 1 : 0]), record([2, sizeBytes], [2, ~sizeBytes & MAX_16]));

/** A file of the zip, as the directory at its end lists it. */
export interface Listed {
  readonly name: Bytes;
  readonly modifiedMs: number;
  readonly crc: number;
  readonly sizeBytes: number;
  /** Where it begins. */
  readonly at: number;
}

const isWide = (sizeBytes: number): boolean => packedSize(sizeBytes) >= MAX_32;

function localHeader(name: Bytes, modifiedMs: number, sizeBytes: number): Bytes {
  const { time, date } = dosTime(modifiedMs);
  const wide = isWide(sizeBytes);
  const size = wide ? MAX_32 : 0;
  // It says that the sizes behind the file have 64 bits.
  const zip64 = wide ? record([2, 1], [2, 16], [8, 0], [8, 0]) : new Uint8Array();
  const extra = joined(zip64, unixTime(modifiedMs));
  return joined(
    record([4, 0x04034b50], [2, wide ? NEEDS_ZIP64 : NEEDS], [2, FLAGS], [2, DEFLATE], [2, time], [2, date]),
    record([4, 0], [4, size], [4, size], [2, name.length], [2, extra.length]),
    name,
    extra,
  );
}

function descriptor(crc: number, sizeBytes: number, wide: boolean): Bytes {
  const width = wide ? 8 : 4;
  return record([4, 0x08074b50], [4, crc], [width, packedSize(sizeBytes)], [width, sizeBytes]);
}

function directoryEntry({ name, modifiedMs, crc, sizeBytes, at }: Listed): Bytes {
  const { time, date } = dosTime(modifiedMs);
  const packed = packedSize(sizeBytes);
  const wide = [sizeBytes, packed, at].filter((value) => value >= MAX_32);
  const zip64 = wide.length === 0 ? new Uint8Array() : record([2, 1], [2, 8 * wide.length]);
  const extra = joined(zip64, ...wide.map((value) => record([8, value])), unixTime(modifiedMs));
  const [size, packedShort, atShort] = [sizeBytes, packed, at].map((value) => Math.min(value, MAX_32)) as [
    number,
    number,
    number,
  ];
  const needs = wide.length === 0 ? NEEDS : NEEDS_ZIP64;
  return joined(
    record([4, 0x02014b50], [2, MADE_BY], [2, needs], [2, FLAGS], [2, DEFLATE], [2, time], [2, date]),
    record([4, crc], [4, packedShort], [4, size], [2, name.length], [2, extra.length], [2, 0], [2, 0], [2, 0]),
    record([4, MODE], [4, atShort]),
    name,
    extra,
  );
}

/** The directory of a zip, and what ends it. @param at where the directory begins */
export function zipDirectory(files: readonly Listed[], at: number): Bytes[] {
  const entries = files.map(directoryEntry);
  const sizeBytes = entries.reduce((sum, entry) => sum + entry.length, 0);
  const count = files.length;
  const end = record(
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, Math.min(count, MAX_16)],
    [2, Math.min(count, MAX_16)],
    [4, Math.min(sizeBytes, MAX_32)],
    [4, Math.min(at, MAX_32)],
    [2, 0],
  );
  if (count < MAX_16 && sizeBytes < MAX_32 && at < MAX_32) return [...entries, end];
  const wide = record(
    [4, 0x06064b50],
    [8, 44],
    [2, MADE_BY],
    [2, NEEDS_ZIP64],
    [4, 0],
    [4, 0],
    [8, count],
    [8, count],
    [8, sizeBytes],
    [8, at],
  );
  const locator = record([4, 0x07064b50], [4, 0], [8, at + sizeBytes], [4, 1]);
  return [...entries, wide, locator, end];
}

/** Cuts a file's bytes into blocks, the same ones however the bytes come. */
async function* storedBlocks(content: AsyncIterable<Bytes>, onBytes: (bytes: Bytes) => void) {
  let held: Bytes[] = [];
  let heldBytes = 0;
  for await (const bytes of content) {
    onBytes(bytes);
    const unit: Bytes[] = [];
    let rest = bytes;
    while (heldBytes + rest.length >= BLOCK_BYTES) {
      const wantedBytes = BLOCK_BYTES - heldBytes;
      unit.push(blockHead(BLOCK_BYTES, false), ...held, rest.subarray(0, wantedBytes));
      rest = rest.subarray(wantedBytes);
      held = [];
      heldBytes = 0;
    }
    // Whoever gave the bytes may use their memory again.
    if (rest.length > 0) held.push(rest.slice());
    heldBytes += rest.length;
    if (unit.length > 0) yield unit;
  }
  yield [blockHead(heldBytes, true), ...held];
}

/** A zip of files, in units of bytes. Nothing of a file is asked for before the one before it is written. */
export async function* writeZip(files: AsyncIterable<ZipInput>): AsyncGenerator<Bytes[]> {
  const listed: Listed[] = [];
  let at = 0;
  const written = (unit: Bytes[]): Bytes[] => {
    for (const { length } of unit) at += length;
    return unit;
  };
  for await (const { name: path, modifiedMs, sizeBytes: saidBytes, content } of files) {
    const name = new TextEncoder().encode(path);
    const began = at;
    let crc = 0;
    let sizeBytes = 0;
    yield written([localHeader(name, modifiedMs, saidBytes)]);
    const blocks = storedBlocks(content, (bytes) => {
      crc = crc32Of(bytes, crc);
      sizeBytes += bytes.length;
    });
    for await (const unit of blocks) yield written(unit);
    yield written([descriptor(crc, sizeBytes, isWide(saidBytes))]);
    listed.push({ name, modifiedMs, crc, sizeBytes, at: began });
  }
  yield zipDirectory(listed, at);
}
