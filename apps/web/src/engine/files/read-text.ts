import type { RangeReader } from '@satchel/client/open/read-range';
import { KIB } from '@satchel/contract/limits';
import { extensionOf } from '@satchel/contract/naming';

/** Reads the beginning of a text, in UTF-8 or one of the encodings that were common before it. */

/** Longer texts make the page slow. */
export const TEXT_SHOWN_BYTES = 512 * KIB;

/** DOS's letters, which no browser decodes. It has ASCII below them. */
const IBM437 = 'ibm437';
const IBM437_LETTERS =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';
/** Endings of texts that are drawn with DOS's letters. */
const DRAWN_IN_DOS = /^(nfo|diz)$/;

/** What a person can choose from: each encoding with the script that it is for (ISO 15924), or null for all. */
export const TEXT_ENCODINGS: readonly (readonly [encoding: string, script: string | null])[] = [
  ['utf-8', null],
  ['utf-16le', null],
  ['utf-16be', null],
  ['windows-1252', 'Latn'],
  ['windows-1250', 'Latn'],
  ['windows-1254', 'Latn'],
  ['windows-1257', 'Latn'],
  ['windows-1258', 'Latn'],
  ['iso-8859-2', 'Latn'],
  ['macintosh', 'Latn'],
  [IBM437, 'Latn'],
  ['windows-1251', 'Cyrl'],
  ['koi8-r', 'Cyrl'],
  ['koi8-u', 'Cyrl'],
  ['iso-8859-5', 'Cyrl'],
  ['ibm866', 'Cyrl'],
  ['windows-1253', 'Grek'],
  ['iso-8859-7', 'Grek'],
  ['windows-1255', 'Hebr'],
  ['iso-8859-8', 'Hebr'],
  ['windows-1256', 'Arab'],
  ['iso-8859-6', 'Arab'],
  ['windows-874', 'Thai'],
  ['shift_jis', 'Jpan'],
  ['euc-jp', 'Jpan'],
  ['iso-2022-jp', 'Jpan'],
  ['gb18030', 'Hans'],
  ['big5', 'Hant'],
  ['euc-kr', 'Kore'],
];
const OFFERED: ReadonlySet<string> = new Set(TEXT_ENCODINGS.map(([encoding]) => encoding));

export interface TextWish {
  /** The file's name, whose ending may say the encoding. */
  readonly name: string;
  /** What a person has chosen; null or absent to find it out. */
  readonly encoding?: string | null;
}

export interface ReadText {
  readonly text: string;
  /** One of TEXT_ENCODINGS. */
  readonly encoding: string;
  /** Whether the bytes say the encoding; otherwise it is a guess, or a person's choice. */
  readonly isCertain: boolean;
}

/** What a guess of the detector must have, of 100; below it says what any bytes could be. */
const LEAST_CONFIDENCE = 11;

/** Without the rest of a letter that the end of the bytes divides. */
const decodeAs = (bytes: Uint8Array, encoding: string, fatal = false): string => {
  if (encoding !== IBM437) return new TextDecoder(encoding, { fatal }).decode(bytes, { stream: true });
  return Array.from(bytes, (byte) => (byte < 128 ? String.fromCharCode(byte) : IBM437_LETTERS[byte - 128])).join('');
};

const decodes = (bytes: Uint8Array, encoding: string): boolean => {
  try {
    decodeAs(bytes, encoding, true);
    return true;
  } catch {
    return false;
  }
};

const startsWith = (bytes: Uint8Array, mark: readonly number[]): boolean =>
  mark.every((byte, at) => bytes[at] === byte);

function markedEncoding(bytes: Uint8Array): string | null {
  if (startsWith(bytes, [0xef, 0xbb, 0xbf])) return 'utf-8';
  if (startsWith(bytes, [0xff, 0xfe])) return 'utf-16le';
  return startsWith(bytes, [0xfe, 0xff]) ? 'utf-16be' : null;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const NO_TEXT = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufffe\uffff]/;

/** UTF-16 without a mark: its blanks and ends of lines, at least, have a NUL before or after them. */
function unmarkedUtf16(bytes: Uint8Array): string | null {
  if (bytes.length % 2 === 1 && bytes.length < TEXT_SHOWN_BYTES) return null;
  const nuls = [0, 0];
  for (const [at, byte] of bytes.entries()) if (byte === 0) nuls[at % 2] = (nuls[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = nuls;
  const encoding = odd > even ? 'utf-16le' : 'utf-16be';
  return decodes(bytes, encoding) && !NO_TEXT.test(decodeAs(bytes, encoding)) ? encoding : null;
}

/** Whether more of its bytes are letters of UTF-8 than are not: such a text was damaged, or cut. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  const text = decodeAs(bytes, 'utf-8');
  const wrong = text.split('\ufffd').length - 1;
  return (text.match(/[\u0080-\ufffc\u{10000}-\u{10ffff}]/gu)?.length ?? 0) >= Math.max(1, wrong);
}

async function guessedEncoding(bytes: Uint8Array): Promise<string> {
  const { analyse } = await import('chardet');
  for (const { name, confidence } of analyse(bytes)) {
    if (confidence < LEAST_CONFIDENCE) break;
    // It knows some that no browser decodes, and spells others in its own way.
    const encoding = canonical(name);
    if (encoding !== null && decodes(bytes, encoding)) return encoding;
  }
  return 'windows-1252';
}

function canonical(name: string): string | null {
  try {
    const { encoding } = new TextDecoder(name);
    return OFFERED.has(encoding) ? encoding : null;
  } catch {
    return null;
  }
}

/** Japanese mail: ASCII alone, where such a sequence begins other letters. */
const ISO_2022_JP = [0x1b, 0x24];

const hasSequence = (bytes: Uint8Array, [first = 0, second]: readonly number[]): boolean => {
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1))
    if (bytes[at + 1] === second) return true;
  return false;
};

async function encodingOf(bytes: Uint8Array, name: string): Promise<{ encoding: string; isCertain: boolean }> {
  const marked = markedEncoding(bytes);
  if (marked !== null) return { encoding: marked, isCertain: true };
  const guess = (encoding: string) => ({ encoding, isCertain: false });
  if (bytes.includes(0)) {
    const encoding = unmarkedUtf16(bytes);
    if (encoding === null) throw new TypeError('not a text');
    return guess(encoding);
  }
  if (hasSequence(bytes, ISO_2022_JP) && decodes(bytes, 'iso-2022-jp')) return guess('iso-2022-jp');
  if (decodes(bytes, 'utf-8')) return { encoding: 'utf-8', isCertain: true };
  if (isMostlyUtf8(bytes)) return guess('utf-8');
  return guess(DRAWN_IN_DOS.test(extensionOf(name)) ? IBM437 : await guessedEncoding(bytes));
}

/**
 * The beginning of a text file.
 * @throws TypeError when its bytes are no text in any encoding; what the reader throws
 */
export async function readText(read: RangeReader, { name, encoding = null }: TextWish): Promise<ReadText> {
  const bytes = await read(0, TEXT_SHOWN_BYTES);
  const found = encoding === null ? await encodingOf(bytes, name) : { encoding, isCertain: false };
  return { ...found, text: decodeAs(bytes, found.encoding) };
}
