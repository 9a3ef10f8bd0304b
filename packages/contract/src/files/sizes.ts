const UNITS = ['Bytes', 'KB', 'MB', 'GB'] as const;
const OCTETS = ['octets', 'Ko', 'Mo', 'Go'] as const;
/** French counts in octets; all other languages of Satchel have KB, MB and GB. */
export const unitsIn = (language: string): readonly [string, string, string, string] =>
  language === 'fr' ? OCTETS : UNITS;
/** What two decimals would round up to 1024.00 is 1.00 of the next unit. */
const ROUNDED_UP = 1024 / 1023.995;

/** The unit that fits, as its power of 1024: 0 for bytes, 3 for GB and all that is more. */
export const unitOf = (sizeBytes: number): number =>
  Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log(sizeBytes * ROUNDED_UP) / Math.log(1024))));

/** A size to be shown beside a limit that it exceeds: two decimals then show that it does. */
export const shownAbove = (sizeBytes: number, limitBytes: number): number =>
  sizeBytes > limitBytes ? Math.max(sizeBytes, limitBytes + 1024 ** unitOf(limitBytes) / 100) : sizeBytes;

/** The unit of a part that is shown beside its whole: `0.99 GB` of `1.00 GB`, not `1010.85 MB`. */
export const unitBeside = (partBytes: number, wholeBytes: number): number => {
  const unit = unitOf(partBytes);
  return unit < unitOf(wholeBytes) && partBytes >= 1000 * 1024 ** unit ? unit + 1 : unit;
};

/** How a language writes sizes. */
export interface SizeWords {
  readonly language: string;
  /** A number with two decimals. */
  readonly number: (value: number) => string;
  readonly bytes: (count: number) => string;
}

const ENGLISH: SizeWords = { language: 'en', number: (value) => value.toFixed(2), bytes: (count) => `${count} Bytes` };

/** Base 1024, two decimals: `2.41 MB`. The one form of all sizes, of the page, of errors and of the bot. */
export function sizeText(
  sizeBytes: number,
  { language, number, bytes }: SizeWords = ENGLISH,
  unit = unitOf(sizeBytes),
): string {
  return unit > 0 ? `${number(sizeBytes / 1024 ** unit)} ${unitsIn(language)[unit]}` : bytes(Math.max(0, sizeBytes));
}
