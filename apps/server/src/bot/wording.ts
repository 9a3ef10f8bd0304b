import type { FolderRow } from '../domain/folders.ts';
import type { Language, Texts } from './language.ts';

/** How folders, sizes and times are put into words in Discord. */

const UNTITLED: Texts<string> = {
  en: 'Untitled folder',
  de: 'Unbenannter Ordner',
  fr: 'Dossier sans nom',
  es: 'Carpeta sin nombre',
};

/** What marks something anywhere in a line: a link, a mention, a spoiler, code, an emoji. */
const MARKS = /[\\*_~|`<>[\]()@:]/g;
/** What marks a line at its beginning: a heading, small print, an entry of a list. */
const LINE_MARK = /^(?:[#+-]|\d+(?=[.)]))/;
/** Line breaks and the like, and what turns the direction of the text that follows it. */
const UNSEEN = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

const graphemes = new Intl.Segmenter();

/** Cuts a text to at most `max` characters as Discord and JavaScript count them, never within one that people see. */
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

/** People's words as text of a message: nothing in them is formatted, linked or a mention. */
export const plainText = (text: string): string =>
  oneLine(text)
    .replace(MARKS, '\\$&')
    .replace(LINE_MARK, (mark) => (/^\d/.test(mark) ? `${mark}\\` : `\\${mark}`));

/** A folder's name for labels and choices, where Discord formats nothing. */
export const folderLabel = ({ name }: Pick<FolderRow, 'name'>, language: Language): string =>
  oneLine(name ?? '') || UNTITLED[language];

/** A folder's name as text of a message, already escaped. */
export const folderTitle = (folder: Pick<FolderRow, 'name'>, language: Language): string =>
  plainText(folderLabel(folder, language));

/** A moment as Discord shows it to each in their own time zone: `R` as "in 3 hours", `f` as date and time. */
export const timestampOf = (moment: Date, style: 'R' | 'f'): string =>
  `<t:${Math.floor(moment.getTime() / 1000)}:${style}>`;

const UNITS = ['kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** A size in words, as of a folder: `12 MB`, in French `12 Mo`. */
export function sizeText(sizeBytes: number, language: Language): string {
  // A few bytes are not nothing.
  let size = sizeBytes > 0 ? Math.max(0.1, sizeBytes / 1024) : 0;
  let unit = 0;
  // Where rounding would say 1,024.
  while (size >= 1023.5 && unit < UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: UNITS[unit] ?? 'kilobyte',
    maximumFractionDigits: size < 10 ? 1 : 0,
  }).format(size);
}

const FILES: Texts<{ readonly none: string; readonly one: string; readonly other: string }> = {
  en: { none: 'no files', one: 'file', other: 'files' },
  de: { none: 'keine Dateien', one: 'Datei', other: 'Dateien' },
  fr: { none: 'aucun fichier', one: 'fichier', other: 'fichiers' },
  es: { none: 'ningún archivo', one: 'archivo', other: 'archivos' },
};

/** What a folder holds, as text of a message and for labels: `3 files, 12 MB`. */
export function contentText(
  { file_count, size_bytes }: Pick<FolderRow, 'file_count' | 'size_bytes'>,
  language: Language,
): string {
  const files = FILES[language];
  if (file_count === 0) return files.none;
  const count = new Intl.NumberFormat(language).format(file_count);
  return `${count} ${file_count === 1 ? files.one : files.other}, ${sizeText(size_bytes, language)}`;
}

const STEPS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** How far off a moment is, for labels and choices, where Discord shows no timestamps: `in 3 hours`. */
export function fromNowText(moment: Date, language: Language, nowMs = Date.now()): string {
  const leftMs = moment.getTime() - nowMs;
  const [unit, unitMs] = STEPS.find(([, ms]) => leftMs >= (ms === 86_400_000 ? 2 * ms : ms)) ?? STEPS[2];
  const count = Math.max(1, Math.floor(leftMs / unitMs));
  return new Intl.RelativeTimeFormat(language).format(count, unit);
}
