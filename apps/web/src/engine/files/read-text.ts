import { KIB } from '@satchel/contract/limits';
import type { RangeReader } from '../media/read-range.ts';

/** Longer texts make the page slow. */
export const TEXT_SHOWN_BYTES = 512 * KIB;

const UTF16_LE = [0xff, 0xfe];
const UTF16_BE = [0xfe, 0xff];

const startsWith = (bytes: Uint8Array, mark: readonly number[]): boolean =>
  mark.every((byte, at) => bytes[at] === byte);

function encodingOf(bytes: Uint8Array): string {
  if (startsWith(bytes, UTF16_LE)) return 'utf-16le';
  return startsWith(bytes, UTF16_BE) ? 'utf-16be' : 'utf-8';
}

/** Whether none of its letters beyond ASCII is one in UTF-8: then it is from before, and Windows's letters are the likeliest. */
const isOlder = (text: string): boolean =>
  text.includes('\ufffd') && !text.includes('\0') && !/[\u00a0-\ufffc]/.test(text);

/**
 * The beginning of a text file.
 * @throws TypeError when its bytes are no text: a text has no NUL characters; what the reader throws
 */
export async function readText(read: RangeReader): Promise<string> {
  const bytes = await read(0, TEXT_SHOWN_BYTES);
  const encoding = encodingOf(bytes);
  const text = new TextDecoder(encoding).decode(bytes);
  if (encoding === 'utf-8' && isOlder(text)) return new TextDecoder('windows-1252').decode(bytes);
  if (text.includes('\0')) throw new TypeError('not a text');
  return text;
}
