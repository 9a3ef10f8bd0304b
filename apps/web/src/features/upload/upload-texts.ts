import { RETRY_DELAYS_MS } from '@satchel/contract/limits';
import { bytes, plural } from '../../lib/format.ts';
import type { QueueCounts, UploadItem } from './queue.ts';
import type { Speed } from './speed.ts';

/** What the upload panel says (§2 "Upload zone"). */

export type TextTone = 'muted' | 'success' | 'danger' | 'accent' | 'info' | 'warning';
export interface StatusText {
  readonly text: string;
  readonly tone: TextTone;
}

const say = (text: string, tone: TextTone): StatusText => ({ text, tone });

type Shown = Pick<
  UploadItem,
  'status' | 'waiting' | 'checking' | 'percent' | 'error' | 'retryAtMs' | 'attempt' | 'offline'
>;

function sendingText({ status, checking, percent, retryAtMs, attempt, offline }: Shown, nowMs: number): StatusText {
  if (offline) return say('Waiting for the network', 'warning');
  if (retryAtMs !== null) {
    const seconds = Math.max(0, Math.ceil((retryAtMs - nowMs) / 1000));
    const tries = `try ${attempt} of ${RETRY_DELAYS_MS.length}`;
    return say(seconds > 0 ? `Connection lost. Retrying in ${seconds}s (${tries})` : `Retrying (${tries})`, 'warning');
  }
  if (checking) return say('Checking what is already uploaded', 'info');
  const whole = Math.floor(percent);
  return status === 'encrypting' ? say(`Encrypting ${whole}%`, 'accent') : say(`Uploading ${whole}%`, 'info');
}

/** The status text of one file. */
export function statusText(item: Shown, nowMs: number): StatusText {
  switch (item.status) {
    case 'completed':
      return say('Completed', 'success');
    case 'error':
      return say(`Error: ${item.error?.message ?? ''}`, 'danger');
    case 'paused':
      return say(`Paused at ${Math.floor(item.percent)}%${item.waiting ? ', waiting its turn' : ''}`, 'muted');
    case 'pending':
      return say(item.waiting ? 'Waiting its turn' : 'Pending', 'muted');
    default:
      return sendingText(item, nowMs);
  }
}

const CHIPS = [
  ['completed', 'completed', 'success'],
  ['error', 'failed', 'danger'],
  ['encrypting', 'encrypting', 'accent'],
  ['uploading', 'uploading', 'info'],
  ['paused', 'paused', 'neutral'],
  ['pending', 'pending', 'neutral'],
] as const;

/** The counts by status, those that are not zero. */
export const countChips = (counts: QueueCounts) =>
  CHIPS.filter(([status]) => counts[status] > 0).map(([status, word, tone]) => ({
    text: `${counts[status]} ${word}`,
    tone,
  }));

function leftText(secondsLeft: number): string {
  if (secondsLeft < 60) return `about ${secondsLeft} s left`;
  const minutes = Math.round(secondsLeft / 60);
  if (minutes < 60) return `about ${minutes} min left`;
  const hours = Math.floor(minutes / 60);
  return `about ${plural(hours, 'hour')} ${minutes % 60} min left`;
}

/** What is less is no speed yet: a first request that waits for its answer would promise days. */
const LEAST_SPEED = 1024;

/** How fast the queue goes and how long it takes; empty while nothing can be said. */
export function speedText({ speedBytesPerSecond, secondsLeft }: Speed, items: readonly Pick<UploadItem, 'offline'>[]) {
  if (items.some(({ offline }) => offline)) return 'Waiting for the network';
  if (speedBytesPerSecond === null || speedBytesPerSecond < LEAST_SPEED) return '';
  const speed = `${bytes(Math.round(speedBytesPerSecond))}/s`;
  return secondsLeft === null ? speed : `${speed}, ${leftText(secondsLeft)}`;
}
