import { sizeText as sizeIn } from '@satchel/contract/files/sizes';
import type { FolderRow } from '../domain/access/find-folder.ts';
import { type Language, textsIn } from './language.ts';

/** Puts folders, sizes and times into words for Discord. */

const WORDS = textsIn('wording', {
  untitled: 'Untitled folder',
  noFiles: 'no files',
  oneFile: '{count} file',
  files: '{count} files',
  bytes: '{count} Bytes',
});

/** Markup anywhere in a line: links, mentions, spoilers, code, emoji. */
const MARKS = /[\\*_~|`<>[\]()@:]/g;
/** Markup at the beginning of a line: headings, small print, list entries. */
const LINE_MARK = /^(?:[#+-]|\d+(?=[.)]))/;
/** Line breaks, control characters, and characters that turn the direction of the text after them. */
const UNSEEN = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

const graphemes = new Intl.Segmenter();

/**
 * Cuts a text to at most `max` characters (UTF-16 units, as Discord and JavaScript count), never inside a visible one.
 */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  let kept = '';
  for (const { segment } of graphemes.segment(text)) {
    if (kept.length + segment.length > max - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

const oneLine = (text: string): string => text.replace(UNSEEN, ' ').trim();

/** Escapes people's words for a message: no formatting, link or mention works in them. */
export const plainText = (text: string): string =>
  oneLine(text)
    .replace(MARKS, '\\$&')
    .replace(LINE_MARK, (mark) => (/^\d/.test(mark) ? `${mark}\\` : `\\${mark}`));

/** A folder's name for labels and choices, which Discord doesn't format. */
export const folderLabel = ({ name }: Pick<FolderRow, 'name'>, language: Language): string =>
  oneLine(name ?? '') || WORDS[language].untitled;

/** A folder's name for a message, escaped. */
export const folderTitle = (folder: Pick<FolderRow, 'name'>, language: Language): string =>
  plainText(folderLabel(folder, language));

/** A moment that Discord shows in each reader's time zone: `R` as "in 3 hours", `f` as date and time. */
export const timestampOf = (moment: Date, style: 'R' | 'f'): string =>
  `<t:${Math.floor(moment.getTime() / 1000)}:${style}>`;

/** A size as the site writes it, too: `12.00 MB`. */
export function sizeText(sizeBytes: number, language: Language): string {
  const format = new Intl.NumberFormat(language, {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
    useGrouping: false,
  });
  const number = (value: number) => format.format(value);
  return sizeIn(sizeBytes, { language, number, bytes: (count) => WORDS[language].bytes({ count: String(count) }) });
}

/** A folder's content in words, for messages and labels: `3 files, 12.00 MB`. */
export function contentText(
  { file_count, size_bytes }: Pick<FolderRow, 'file_count' | 'size_bytes'>,
  language: Language,
): string {
  const { noFiles, oneFile, files } = WORDS[language];
  if (file_count === 0) return noFiles;
  const count = new Intl.NumberFormat(language).format(file_count);
  return `${file_count === 1 ? oneFile({ count }) : files({ count })}, ${sizeText(size_bytes, language)}`;
}

const STEPS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** The time until a moment, for labels and choices, which show no timestamps: `in 3 hours`. */
export function fromNowText(moment: Date, language: Language, nowMs = Date.now()): string {
  const leftMs = moment.getTime() - nowMs;
  const [unit, unitMs] = STEPS.find(([, ms]) => leftMs >= (ms === 86_400_000 ? 2 * ms : ms)) ?? STEPS[2];
  const count = Math.max(1, Math.floor(leftMs / unitMs));
  return new Intl.RelativeTimeFormat(language).format(count, unit);
}
