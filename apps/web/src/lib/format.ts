const UNITS = ['Bytes', 'KB', 'MB', 'GB'];

/** Base 1024, two decimals (§9): `2.41 MB`. */
export function bytes(sizeBytes: number): string {
  if (sizeBytes <= 0) return '0 Bytes';
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log(sizeBytes) / Math.log(1024)));
  return `${unit === 0 ? sizeBytes : (sizeBytes / 1024 ** unit).toFixed(2)} ${UNITS[unit]}`;
}

/** Folder sizes are always shown in MB (§9). */
export const megabytes = (sizeBytes: number) => `${(sizeBytes / 1024 ** 2).toFixed(2)} MB`;

/** Sizes in an upload queue's rows are always shown in KB (§2). */
export const kilobytes = (sizeBytes: number) => `${(sizeBytes / 1024).toFixed(2)} KB`;

/** A limit as prose says it: `100MB`, `1GB`, `1.5GB` (§1). */
export function limitText(sizeBytes: number): string {
  const unit = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log(sizeBytes) / Math.log(1024))));
  return `${Number((sizeBytes / 1024 ** unit).toFixed(2))}${unit === 0 ? ' ' : ''}${UNITS[unit]}`;
}

/** `1 file`, `2 files`. */
export const plural = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** A number of hours as prose says it: `24 hours`, `1 hour`, `30 minutes`, `3 days`. */
export function hoursText(hours: number): string {
  if (hours < 1) return plural(Math.round(hours * 60), 'minute');
  if (hours > 48 && hours % 24 === 0) return plural(hours / 24, 'day');
  return plural(Number(hours.toFixed(2)), 'hour');
}

const COUNTDOWN_PARTS = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'm'],
  [1, 's'],
] as const;

/** Live countdown in days, hours, minutes and seconds; `0s` when nothing is left (§2). */
export function countdown(leftMs: number): string {
  if (leftMs <= 0) return '0s';
  let rest = Math.floor(leftMs / 1000);
  const parts: string[] = [];
  for (const [seconds, unit] of COUNTDOWN_PARTS) {
    const value = Math.floor(rest / seconds);
    rest -= value * seconds;
    if (value > 0 || parts.length > 0)
      parts.push(`${parts.length > 0 ? String(value).padStart(2, '0') : value}${unit}`);
  }
  return parts.join(' ') || '0s';
}

/** The same as it is spoken, at most two parts: `23 hours 12 minutes`. */
export function countdownSpoken(leftMs: number): string {
  if (leftMs <= 0) return 'Expired';
  const minutes = Math.floor(leftMs / 60_000);
  const hours = Math.floor(minutes / 60);
  const parts = [
    [Math.floor(hours / 24), 'day'],
    [hours % 24, 'hour'],
    [minutes % 60, 'minute'],
  ] as const;
  const spoken = parts.filter(([value]) => value > 0).map(([value, unit]) => plural(value, unit));
  return spoken.slice(0, 2).join(' ') || 'less than a minute';
}

type Moment = number | string | Date;
/** `14 Mar 2026`, as the visitor's language writes it. */
export const localDate = (moment: Moment) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }).format(new Date(moment));
/** `14 Mar 2026, 21:04`, as the visitor's language writes it. */
export const localDateTime = (moment: Moment) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(moment));

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
