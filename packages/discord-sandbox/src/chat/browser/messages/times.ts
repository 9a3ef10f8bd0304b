import type { TimeStyle } from './markdown.ts';

/** Moments as Discord shows them, in the language of the browser unless told. */

const formats: Record<Exclude<TimeStyle, 'R'>, Intl.DateTimeFormatOptions> = {
  f: { dateStyle: 'long', timeStyle: 'short' },
  F: { dateStyle: 'full', timeStyle: 'short' },
};

/**
 * Each with its size, and from where on it is the one to say: 59 and a half minutes are an hour, but what is gone after
 * a day has 24 hours until then.
 */
const steps: readonly [Intl.RelativeTimeFormatUnit, number, number][] = [
  ['year', 31_536_000, 31_536_000 - 1_296_000],
  ['month', 2_592_000, 2_592_000 - 43_200],
  ['day', 86_400, 86_400],
  ['hour', 3_600, 3_600 - 30],
  ['minute', 60, 60],
];

export function relativeTime(at_s: number, now_s: number, locale?: string): string {
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'always' });
  const difference_s = at_s - now_s;
  const step = steps.find(([, , from_s]) => Math.abs(difference_s) >= from_s);
  return step === undefined
    ? format.format(Math.round(difference_s), 'second')
    : format.format(Math.round(difference_s / step[1]), step[0]);
}

// Beyond these Date has no name for a moment.
const MAX_S = 8.64e12;

export function timeText(at_s: number, style: TimeStyle, now_s: number, locale?: string): string {
  if (Math.abs(at_s) > MAX_S) return 'Invalid date';
  if (style === 'R') return relativeTime(at_s, now_s, locale);
  return new Intl.DateTimeFormat(locale, formats[style]).format(at_s * 1000);
}

/** When a message was sent: the time today, the date as well before that. */
export function sentText(timestamp: string, now: Date, locale?: string): string {
  const sent = new Date(timestamp);
  const isToday = sent.toDateString() === now.toDateString();
  return new Intl.DateTimeFormat(
    locale,
    isToday ? { timeStyle: 'short' } : { dateStyle: 'short', timeStyle: 'short' },
  ).format(sent);
}
