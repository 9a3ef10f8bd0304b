import { showUnseen } from '@satchel/contract/unseen';
import type { RangeReader } from '../../media/read-range.ts';

/**
 * Reads the table of contents of a zip (APPNOTE.TXT 6.3.10) from its end, and nothing else of it. Nothing is unpacked, and
 * no figure in it is believed: each is shown as what the zip says, and how much is read has bounds.
 */

export interface ZipLine {
  /** Path as the zip says, with what can't be seen made visible. It is shown, never used. */
  readonly path: string;
  readonly isDirectory: boolean;
  readonly isLocked: boolean;
  readonly packedBytes: number;
  readonly sizeBytes: number;
}

export interface ZipListing {
  readonly lines: readonly ZipLine[];
  /** How many entries the zip says that it has. */
  readonly claimedCount: number;
  /** Whether there are more entries than were read. */
  readonly isCut: boolean;
  /** Whether the directory is not what the end of the zip says. */
  readonly isDamaged: boolean;
}

/** "4.3.16 End of central directory record" */
const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const COMMENT_MAX_BYTES = 0xffff;
/** "4.3.15 Zip64 end of central directory locator" */
const LOCATOR_SIGNATURE = 0x07064b50;
const LOCATOR_BYTES = 20;
/** "4.3.14 Zip64 end of central directory record" */
const END64_SIGNATURE = 0x06064b50;
const END64_BYTES = 56;
/** "4.3.12 Central directory structure" */
const ENTRY_SIGNATURE = 0x02014b50;
const ENTRY_BYTES = 46;
const ZIP64_FIELD = 0x0001;

const IN_ZIP64_16 = 0xffff;
const IN_ZIP64_32 = 0xffffffff;

/** More of a directory is not fetched, nor more lines shown. */
export const DIRECTORY_MAX_BYTES = 2 * 1024 ** 2;
export const LINES_MAX = 5000;
const PATH_MAX_CHARS = 400;

const isLockedFlag = (flags: number) => (flags & 1) !== 0;
/** "Bit 11: Language encoding flag (EFS). […] the filename and comment fields […] MUST be encoded using UTF-8." */
const isUtf8Flag = (flags: number) => (flags & 0x800) !== 0;

const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';
const strictUtf8 = new TextDecoder('utf-8', { fatal: true });
const looseUtf8 = new TextDecoder();

/** Most programs write UTF-8 also without saying so; "If general purpose bit 11 is unset, […] IBM Code Page 437". */
function decodeName(bytes: Uint8Array, isUtf8: boolean): string {
  if (isUtf8) return looseUtf8.decode(bytes);
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return Array.from(bytes, (byte) => (byte < 128 ? String.fromCharCode(byte) : CP437[byte - 128])).join('');
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const MISLEADING = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function shownPath(path: string): string {
  const cut = path.length > PATH_MAX_CHARS ? `${path.slice(0, PATH_MAX_CHARS)}…` : path;
  return showUnseen(cut.toWellFormed().replace(MISLEADING, '\ufffd'));
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const long = (view: DataView, at: number): number => Number(view.getBigUint64(at, true));

/** Where the last record lies in the tail: one whose comment ends where the file does, or else the last one at all. */
function findEnd(tail: Uint8Array): number {
  const view = viewOf(tail);
  let last = -1;
  for (let at = tail.length - END_BYTES; at >= 0; at -= 1) {
    if (view.getUint32(at, true) !== END_SIGNATURE) continue;
    if (at + END_BYTES + view.getUint16(at + 20, true) === tail.length) return at;
    if (last < 0) last = at;
  }
  return last;
}

interface Directory {
  readonly count: number;
  readonly startByte: number;
  readonly endByte: number;
}

/** @throws TypeError for what is no zip */
function checkDirectory({ count, startByte, endByte }: Directory): Directory {
  if (!(startByte >= 0 && startByte <= endByte)) throw new TypeError('the zip has no directory');
  return { count, startByte, endByte };
}

/** "If an archive is in ZIP64 format and the value in this field is 0xFFFF, the size will be in the […] zip64 […] record." */
async function findZip64(read: RangeReader, locator: DataView, endByte: number): Promise<Directory> {
  const said = long(locator, 8);
  // What was put before a zip moves all of it: then the record still lies right before its locator.
  for (const at of [said, endByte - LOCATOR_BYTES - END64_BYTES]) {
    if (!(at >= 0 && at + END64_BYTES <= endByte)) continue;
    const view = viewOf(await read(at, at + END64_BYTES));
    if (view.byteLength < END64_BYTES || view.getUint32(0, true) !== END64_SIGNATURE) continue;
    return checkDirectory({ count: long(view, 32), startByte: at - long(view, 40), endByte: at });
  }
  throw new TypeError('the zip has no directory');
}

async function findDirectory(read: RangeReader, sizeBytes: number): Promise<Directory> {
  const tailStart = Math.max(0, sizeBytes - END_BYTES - COMMENT_MAX_BYTES - LOCATOR_BYTES);
  const tail = await read(tailStart, sizeBytes);
  const at = findEnd(tail);
  if (at < 0) throw new TypeError('not a zip');
  const view = viewOf(tail);
  const [count, bytes, offset] = [
    view.getUint16(at + 10, true),
    view.getUint32(at + 12, true),
    view.getUint32(at + 16, true),
  ];
  const isZip64 = count === IN_ZIP64_16 || bytes === IN_ZIP64_32 || offset === IN_ZIP64_32;
  const hasLocator = at >= LOCATOR_BYTES && view.getUint32(at - LOCATOR_BYTES, true) === LOCATOR_SIGNATURE;
  const endByte = tailStart + at;
  if (isZip64 && hasLocator) return findZip64(read, viewOf(tail.subarray(at - LOCATOR_BYTES, at)), endByte);
  return checkDirectory({ count, startByte: endByte - bytes, endByte });
}

interface Sizes {
  readonly sizeBytes: number;
  readonly packedBytes: number;
}

/** "The order of the fields in the zip64 extended information record is fixed, but the fields MUST only appear if […]" */
function sizesOf(view: DataView, at: number, extra: DataView): Sizes {
  let [packedBytes, sizeBytes] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true)];
  for (let place = 0; place + 4 <= extra.byteLength; ) {
    const [field, length] = [extra.getUint16(place, true), extra.getUint16(place + 2, true)];
    place += 4;
    const end = Math.min(place + length, extra.byteLength);
    if (field === ZIP64_FIELD) {
      let value = place;
      if (sizeBytes === IN_ZIP64_32 && value + 8 <= end) {
        sizeBytes = long(extra, value);
        value += 8;
      }
      if (packedBytes === IN_ZIP64_32 && value + 8 <= end) packedBytes = long(extra, value);
    }
    place += length;
  }
  return { sizeBytes, packedBytes };
}

function readLines(bytes: Uint8Array): { lines: ZipLine[]; readBytes: number } {
  const view = viewOf(bytes);
  const lines: ZipLine[] = [];
  let at = 0;
  while (lines.length < LINES_MAX && at + ENTRY_BYTES <= bytes.length) {
    if (view.getUint32(at, true) !== ENTRY_SIGNATURE) break;
    const flags = view.getUint16(at + 8, true);
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((place) => view.getUint16(at + place, true)) as [
      number,
      number,
      number,
    ];
    const nameAt = at + ENTRY_BYTES;
    const extraAt = nameAt + nameBytes;
    const next = extraAt + extraBytes + commentBytes;
    if (next > bytes.length) break;
    const name = decodeName(bytes.subarray(nameAt, extraAt), isUtf8Flag(flags));
    const extra = viewOf(bytes.subarray(extraAt, extraAt + extraBytes));
    lines.push({
      path: shownPath(name),
      isDirectory: /[/\\]$/.test(name),
      isLocked: isLockedFlag(flags),
      ...sizesOf(view, at, extra),
    });
    at = next;
  }
  return { lines, readBytes: at };
}

/**
 * The entries of a zip, as its directory says.
 * @throws TypeError when it is no zip; what `read` throws
 */
export async function readZip(read: RangeReader, sizeBytes: number): Promise<ZipListing> {
  if (sizeBytes < END_BYTES) throw new TypeError('not a zip');
  const { count, startByte, endByte } = await findDirectory(read, sizeBytes);
  const directoryBytes = endByte - startByte;
  const bytes = await read(startByte, Math.min(endByte, startByte + DIRECTORY_MAX_BYTES));
  const { lines, readBytes } = readLines(bytes);
  const isCut = lines.length === LINES_MAX ? readBytes < directoryBytes : directoryBytes > DIRECTORY_MAX_BYTES;
  const isDamaged = isCut ? count <= lines.length : count !== lines.length || readBytes !== directoryBytes;
  return { lines, claimedCount: count, isCut, isDamaged };
}
