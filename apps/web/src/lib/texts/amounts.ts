import { i18n } from '@lingui/core';
import { plural, t } from '@lingui/core/macro';
import { sizeText, unitBeside, unitOf } from '@satchel/contract/files/sizes';

/* Apart from format.ts, for these are all that the landing page formats. */

const numbers = new Map<string, Intl.NumberFormat>();
/** A number as the language of the page writes it: a point in English, a comma in German. */
export function numberText(value: number, decimals: 0 | 2): string {
  const name = `${i18n.locale} ${decimals}`;
  let format = numbers.get(name);
  if (!format) {
    format = new Intl.NumberFormat(i18n.locale, {
      minimumFractionDigits: decimals,
      maximumFractionDigits: 2,
      useGrouping: false,
    });
    numbers.set(name, format);
  }
  return format.format(value);
}

/** Base 1024, two decimals: `2.41 MB`. A part of a whole that is shown, too, has no number of four digits. */
export const bytes = (sizeBytes: number, wholeBytes = sizeBytes): string =>
  sizeText(
    sizeBytes,
    { language: i18n.locale, number: (value) => numberText(value, 2), bytes: (count) => t`${count} Bytes` },
    unitBeside(sizeBytes, wholeBytes),
  );

/** A limit as prose says it: `100MB`, `1GB`, `1.5GB`. */
export function limitText(sizeBytes: number): string {
  const unit = unitOf(sizeBytes);
  if (unit === 0) return bytes(sizeBytes);
  const amount = numberText(sizeBytes / 1024 ** unit, 0);
  if (unit === 1) return t`${amount}KB`;
  return unit === 2 ? t`${amount}MB` : t`${amount}GB`;
}

export const minutesText = (minutes: number) => plural(minutes, { one: '# minute', other: '# minutes' });
export const daysText = (days: number) => plural(days, { one: '# day', other: '# days' });

/** A number of hours as prose says it: `24 hours`, `1 hour`, `30 minutes`, `3 days`. */
export function hoursText(hours: number): string {
  if (hours < 1) return minutesText(Math.round(hours * 60));
  if (hours > 48 && hours % 24 === 0) return daysText(hours / 24);
  return plural(Number(hours.toFixed(2)), { one: '# hour', other: '# hours' });
}
