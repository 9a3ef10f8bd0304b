import { cutUtf8, randomBase62 } from './naming.ts';
import { dropUnseen, showUnseen } from './unseen.ts';

/** Makes other people's file names harmless, and makes the names under which files are stored (§2, docs/container.md §2). */

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const UNSAFE_IN_NAME = /[/\\\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Replaces what could mislead or escape: path separators, control and direction characters by underscores, other
 * invisible characters by U+FFFD, which is visible; ".", ".." and the empty name by "file".
 */
export function safeFileName(name: string): string {
  const clean = showUnseen(name.normalize('NFC').replace(UNSAFE_IN_NAME, '_')).trim();
  return /^\.*$/.test(clean) ? 'file' : clean;
}

/**
 * The stored name of an upload: `{NFC base, cut to 200 bytes}_{timestamp}_{random}.{ext or enc}` (docs/container.md §2). Two
 * uploads of one name never collide.
 * @param base readable name, or 16 random characters when names are hidden
 * @param extension what follows the last dot: `enc` for sealed files
 * @param nowMs milliseconds since the epoch
 */
export function storedName(base: string, extension: string, nowMs: number): string {
  const tail = `_${nowMs}_${randomBase62(8).toLowerCase()}${extension ? `.${extension}` : ''}`;
  // The cut may split an emoji and leave its joiner.
  return `${dropUnseen(cutUtf8(safeFileName(base), 200))}${tail}`;
}
