import { i18n } from '@lingui/core';
import { plural, t } from '@lingui/core/macro';
import { unitsIn } from '@satchel/contract/files/sizes';
import { daysText, hoursText, minutesText, numberText } from '../texts/amounts.ts';

export { bytes, hoursText, limitText } from '../texts/amounts.ts';

/** The size of a folder on its own page, always in MB; all other sizes have the unit that fits. */
export const megabytes = (sizeBytes: number) => `${numberText(sizeBytes / 1024 ** 2, 2)} ${unitsIn(i18n.locale)[2]}`;

const MINUTE_MS = 60_000;
const twoDigits = (value: number) => String(value).padStart(2, '0');

/** Live countdown in days, hours, minutes and seconds; `0s` when nothing is left. */
export function countdown(leftMs: number): string {
  const all = Math.max(0, Math.floor(leftMs / 1000));
  const days = Math.floor(all / 86_400);
  const hours = Math.floor(all / 3600) % 24;
  const minutes = Math.floor(all / 60) % 60;
  const seconds = all % 60;
  const [hh, mm, ss] = [twoDigits(hours), twoDigits(minutes), twoDigits(seconds)];
  if (days > 0) return t`${days}d ${hh}h ${mm}m ${ss}s`;
  if (hours > 0) return t`${hours}h ${mm}m ${ss}s`;
  return minutes > 0 ? t`${minutes}m ${ss}s` : t`${seconds}s`;
}

/** A short while: `0.52s`. */
export function secondsText(durationMs: number): string {
  const seconds = numberText(durationMs / 1000, 2);
  return t`${seconds}s`;
}

/** The same as it is spoken, at most two parts: `23 hours 12 minutes`. */
export function countdownSpoken(leftMs: number): string {
  if (leftMs <= 0) return t`Expired`;
  const all = Math.floor(leftMs / MINUTE_MS);
  const days = Math.floor(all / 1440);
  const hours = Math.floor(all / 60) % 24;
  const minutes = all % 60;
  if (all === 0) return t`less than a minute`;
  if (days > 0 && hours > 0)
    return t`${plural(days, { one: '# day', other: '# days' })} ${plural(hours, { one: '# hour', other: '# hours' })}`;
  if (days > 0) return daysText(days);
  if (hours > 0 && minutes > 0)
    return t`${plural(hours, { one: '# hour', other: '# hours' })} ${plural(minutes, { one: '# minute', other: '# minutes' })}`;
  return hours > 0 ? hoursText(hours) : minutesText(minutes);
}

type Moment = number | string | Date;

/** The visitor's own form of the page's language, so that a British reader of English sees British dates. */
function dateLocale(): string {
  const own = navigator.languages.find((tag) => tag.split('-')[0] === i18n.locale);
  return own ?? i18n.locale;
}
/** By language and options: making one takes a hundred times as long as using it, and a list has a date in each row. */
const dateFormats = new Map<string, Intl.DateTimeFormat>();
function dateText(moment: Moment, options: Intl.DateTimeFormatOptions): string {
  const locale = dateLocale();
  const key = `${locale} ${JSON.stringify(options)}`;
  const format = dateFormats.get(key) ?? new Intl.DateTimeFormat(locale, options);
  dateFormats.set(key, format);
  return format.format(new Date(moment));
}

/** `14 Mar 2026`, as the visitor's language writes it. */
export const localDate = (moment: Moment) => dateText(moment, { dateStyle: 'medium' });
/** `14 Mar 2026, 21:04`, as the visitor's language writes it. */
export const localDateTime = (moment: Moment) => dateText(moment, { dateStyle: 'medium', timeStyle: 'short' });
/** `21:04`, as the visitor's language writes it. */
export const localTime = (moment: Moment) => dateText(moment, { timeStyle: 'short' });
/** `14 Mar`: a day of a life that is too short to need its year. */
export const localDay = (moment: Moment) => dateText(moment, { day: 'numeric', month: 'short' });
/** `14 Mar, 21:04`. */
export const localDayTime = (moment: Moment) =>
  dateText(moment, { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' });

const AGO = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** How long ago: `2 hours ago`, `yesterday`, and `now` within the minute. */
export function timeAgo(moment: Moment, nowMs: number): string {
  const seconds = Math.max(0, Math.round((nowMs - new Date(moment).getTime()) / 1000));
  const format = new Intl.RelativeTimeFormat(i18n.locale, { numeric: 'auto' });
  const [unit, length] = AGO.find(([, inSeconds]) => seconds >= inSeconds) ?? ['second', Number.POSITIVE_INFINITY];
  return format.format(-Math.floor(seconds / length), unit);
}

/** A name in three parts: `cut` gives way to an ellipsis, and is empty when the whole name fits. */
export type NameParts = readonly [head: string, cut: string, tail: string];

/**
 * Parts a name so that its start and its end with the extension stay readable.
 * @param fits whether a text is narrow enough
 */
export function partName(name: string, fits: (text: string) => boolean): NameParts {
  if (fits(name)) return [name, '', ''];
  const characters = Array.from(name);
  const dot = characters.lastIndexOf('.');
  const extensionLength = dot > 0 ? characters.length - dot : 0;
  const tailAt = Math.max(0, characters.length - Math.min(12, extensionLength + 4));
  const tail = characters.slice(tailAt).join('');
  let headLength = tailAt;
  while (headLength > 1 && !fits(`${characters.slice(0, headLength).join('')}…${tail}`)) headLength -= 1;
  return [characters.slice(0, headLength).join(''), characters.slice(headLength, tailAt).join(''), tail];
}
