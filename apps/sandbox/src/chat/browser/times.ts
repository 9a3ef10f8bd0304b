import type { TimeStyle } from './markdown.ts';

/** Moments as Discord shows them, in the language of the browser unless told. */

const formats: Record<Exclude<TimeStyle, 'R'>, Intl.DateTimeFormatOptions> = {
  t: { timeStyle: 'short' },
  T: { timeStyle: 'medium' },
  d: { dateStyle: 'short' },
  D: { dateStyle: 'long' },
  f: { dateStyle: 'long', timeStyle: 'short' },
  F: { dateStyle: 'full', timeStyle: 'short' },
  s: { dateStyle: 'short', timeStyle: 'short' },
  S: { dateStyle: 'short', timeStyle: 'medium' },
};

const steps: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

export function relativeTime(at_s: number, now_s: number, locale?: string): string {
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const difference_s = at_s - now_s;
  const step = steps.find(([, size_s]) => Math.abs(difference_s) >= size_s);
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
