import { plural, t } from '@lingui/core/macro';
import { hasChanged, type QueueCounts, type UploadItem, type UploadStatus } from '@satchel/client/send/list/queue';
import { AppError } from '@satchel/contract/errors';
import { RETRY_DELAYS_MS } from '@satchel/contract/limits';
import type { Speed } from '../../engine/speed.ts';
import { bytes } from '../../lib/figures/format.ts';
import { errorText } from '../../lib/texts/error-text.ts';

/** What the upload panel says. */

/** Names once each, and no more than a glance takes in. */
const NAMES_MAX = 6;
export function namesOf(names: readonly string[]): string {
  const different = [...new Set(names)];
  const shown = different.slice(0, NAMES_MAX).join(', ');
  return different.length > NAMES_MAX ? `${shown}, …` : shown;
}

/** What of a choice the browser could not read. */
export function unreadableText(unreadable: readonly string[]): string {
  const names = namesOf(unreadable);
  return plural(unreadable.length, {
    one: `# item could not be read: ${names}`,
    other: `# items could not be read: ${names}`,
  });
}

export type TextTone = 'muted' | 'success' | 'danger' | 'accent' | 'info' | 'warning';
export interface StatusText {
  readonly text: string;
  readonly tone: TextTone;
}

const say = (text: string, tone: TextTone): StatusText => ({ text, tone });

type Shown = Pick<
  UploadItem,
  | 'status'
  | 'queued'
  | 'checking'
  | 'percent'
  | 'error'
  | 'retryAtMs'
  | 'attempt'
  | 'cause'
  | 'offline'
  | 'resumesAtPercent'
  | 'bytesUploaded'
>;

/** A line or a server that is away is waited for as long as it takes; an answer that is bad otherwise, a few times. */
function retryText({ attempt, cause }: Shown, secondsLeft: number): string {
  if (cause === 'connection') return t`Waiting for the server`;
  const tries = RETRY_DELAYS_MS.length;
  return secondsLeft === 0
    ? t`Retrying (try ${attempt} of ${tries})`
    : t`The server could not take the file. Retrying in ${secondsLeft}s (try ${attempt} of ${tries})`;
}

/** What the whole list waits for, while the server is away. */
export const serverWaitText = (secondsLeft: number): string =>
  secondsLeft > 0
    ? t`Waiting for the server, trying again in ${secondsLeft} s`
    : t`Waiting for the server, trying again now`;

function sendingText(item: Shown, nowMs: number): StatusText {
  const { status, checking, retryAtMs, offline } = item;
  if (offline) return say(t`Waiting for a connection`, 'warning');
  if (retryAtMs !== null) {
    return say(retryText(item, Math.max(0, Math.ceil((retryAtMs - nowMs) / 1000))), 'warning');
  }
  if (checking) return say(t`Checking what is already uploaded`, 'info');
  const percent = Math.floor(item.percent);
  return status === 'encrypting' ? say(t`Encrypting ${percent}%`, 'accent') : say(t`Uploading ${percent}%`, 'info');
}

function pendingText({ queued, resumesAtPercent: percent }: Shown): StatusText {
  if (queued) return say(t`Waiting its turn`, 'muted');
  return percent === null ? say(t`Pending`, 'muted') : say(t`Pending, continues at ${percent}%`, 'info');
}

function pausedText({ queued, percent }: Shown): StatusText {
  const whole = Math.floor(percent);
  return say(queued ? t`Waiting its turn, at ${whole}%` : t`Paused at ${whole}%`, 'muted');
}

/**
 * What went wrong. A browser doesn't say what became of a file that it can't read as it was, and a stream's size says nothing
 * to a person. One who asks the operator for help has to be able to say which upload it was.
 */
export const reasonText = (error: AppError): string =>
  hasChanged(error)
    ? t`The file was changed, moved or deleted after it was chosen`
    : errorText(error, { isReported: true });

/** What went wrong, and what helps, where something does. */
function failedText(error: AppError, hasBegun: boolean): string {
  const message = reasonText(error);
  if (hasChanged(error)) return t`Error: ${message}. Choose it again to upload it as it is now.`;
  if (error.code === 'upload.elsewhere') return t`Error: ${message}. Retry once that tab is done.`;
  const status = Number(error.params.status);
  // A server that could not take the rest now.
  if (hasBegun && status >= 500) return t`Error: ${message}. Retry continues where it stopped.`;
  return t`Error: ${message}`;
}

/** The status text of one file. */
export function statusText(item: Shown, nowMs: number): StatusText {
  switch (item.status) {
    case 'completed':
      return say(t`Completed`, 'success');
    case 'error':
      return say(failedText(item.error ?? new AppError('unexpected'), item.bytesUploaded > 0), 'danger');
    case 'paused':
      return pausedText(item);
    case 'pending':
      return pendingText(item);
    default:
      return sendingText(item, nowMs);
  }
}

export interface CountChip {
  readonly status: UploadStatus;
  readonly text: string;
  readonly tone: 'success' | 'danger' | 'accent' | 'info' | 'neutral';
}

/** The counts by status that are not zero. */
export function countChips(counts: QueueCounts): CountChip[] {
  const { completed, error, encrypting, uploading, paused, pending } = counts;
  const chips: [UploadStatus, () => string, CountChip['tone']][] = [
    ['completed', () => t`${completed} completed`, 'success'],
    ['error', () => t`${error} failed`, 'danger'],
    ['encrypting', () => t`${encrypting} encrypting`, 'accent'],
    ['uploading', () => t`${uploading} uploading`, 'info'],
    ['paused', () => t`${paused} paused`, 'neutral'],
    ['pending', () => t`${pending} pending`, 'neutral'],
  ];
  return chips.filter(([status]) => counts[status] > 0).map(([status, text, tone]) => ({ status, text: text(), tone }));
}

/** Below this no speed is shown: a first request without an answer would promise days. */
const LEAST_SPEED = 1024;
const MINUTE_SECONDS = 60;
const HOUR_MINUTES = 60;

/** How fast the queue goes and how long it takes; empty while nothing can be said. A lost connection has no speed. */
export function speedText(
  { speedBytesPerSecond, secondsLeft }: Speed,
  items: readonly Pick<UploadItem, 'offline' | 'retryAtMs' | 'cause'>[],
) {
  if (items.some(({ offline }) => offline)) return t`Waiting for a connection`;
  if (items.some(({ retryAtMs, cause }) => retryAtMs !== null && cause === 'connection'))
    return t`Waiting for the server`;
  if (speedBytesPerSecond === null || speedBytesPerSecond < LEAST_SPEED) return '';
  const speed = bytes(Math.round(speedBytesPerSecond));
  if (secondsLeft === null) return t`${speed}/s`;
  if (secondsLeft < MINUTE_SECONDS) return t`${speed}/s, about ${secondsLeft} s left`;
  const minutes = Math.round(secondsLeft / MINUTE_SECONDS);
  if (minutes < HOUR_MINUTES) return t`${speed}/s, about ${minutes} min left`;
  const hours = Math.floor(minutes / HOUR_MINUTES);
  const rest = minutes % HOUR_MINUTES;
  return t`${speed}/s, about ${hours} h ${rest} min left`;
}
