/** Moments as Discord shows them, in the language of the browser unless told. */

/** Units with their lengths in seconds. */
const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

export function relativeTime(at_s: number, now_s: number, locale?: string): string {
  const difference_s = at_s - now_s;
  // Half a minute less than an hour is an hour; what is gone after a day has 24 hours until then.
  const slack = (length_s: number) => (length_s === 3_600 ? 30 : 0);
  const [unit, length_s] = UNITS.find(([, each_s]) => Math.abs(difference_s) >= each_s - slack(each_s)) ?? [
    'second',
    1,
  ];
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'always' });
  return format.format(Math.round(difference_s / length_s), unit);
}

export const fullTime = (at_s: number, locale?: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short' }).format(at_s * 1000);

/** When a message was sent: the time today, the date as well before that. */
export function sentText(timestamp: string, now: Date, locale?: string): string {
  const sent = new Date(timestamp);
  const isToday = sent.toDateString() === now.toDateString();
  const style = isToday
    ? { timeStyle: 'short' as const }
    : { dateStyle: 'short' as const, timeStyle: 'short' as const };
  return new Intl.DateTimeFormat(locale, style).format(sent);
}
