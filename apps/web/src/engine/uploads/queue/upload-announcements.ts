import { plural, t } from '@lingui/core/macro';
import type { AppError } from '@satchel/contract/errors';
import { errorText } from '../../../lib/texts/error-text.ts';
import { countItems, isBusy, overallPercent, type QueueState } from './queue.ts';

/** What is said aloud of the queue (DESIGN-UX §5): quarters and the end politely, failures at once. */

export interface Heard {
  readonly busy: boolean;
  /** Whole quarters of the whole queue. */
  readonly quarter: number;
  /** How many files were completed and had failed, as of when the queue last set out. */
  readonly completed: number;
  readonly error: number;
}

/** The announced state after `now`: while the queue runs, the counts stay those of its start. */
export function heardAfter(before: Heard, now: Heard): Heard {
  const { completed, error } = before.busy && now.busy ? before : now;
  return { ...now, completed, error };
}

/** The announcement after `before` became `now`; null when there is none. */
export function progressWords(before: Heard, now: Heard): string | null {
  if (before.busy && !now.busy) {
    const completed = now.completed - before.completed;
    const error = Math.max(0, now.error - before.error);
    if (completed <= 0) return null;
    if (error === 0) return plural(completed, { one: '# file uploaded', other: '# files uploaded' });
    return plural(completed, { one: `# file uploaded, ${error} failed`, other: `# files uploaded, ${error} failed` });
  }
  const percent = now.quarter * 25;
  return now.busy && now.quarter > before.quarter && now.quarter < 4 ? t`Upload ${percent}% done` : null;
}

export interface Failed {
  readonly name: string;
  readonly error: AppError;
}

/** One announcement for failures that came close together: a full account would otherwise be announced once a file. */
export function failureWords([first, ...others]: readonly [Failed, ...Failed[]]): string {
  const { name } = first;
  const message = errorText(first.error);
  if (others.length === 0) return t`${name}: Error: ${message}`;
  const count = others.length + 1;
  return t`${count} uploads failed. ${name}: Error: ${message}`;
}

/** Says the quarters of the whole queue and its end. */
export function createProgressVoice(say: (text: string) => void) {
  let heard: Heard = { quarter: 0, busy: false, completed: 0, error: 0 };
  return {
    hear(queue: QueueState): void {
      const { completed, error } = countItems(queue);
      const now = { quarter: Math.floor(overallPercent(queue) / 25), busy: isBusy(queue), completed, error };
      // As many files may be completed as failed anew: only what is said of is a step.
      if (now.quarter === heard.quarter && now.busy === heard.busy) return;
      const words = progressWords(heard, now);
      heard = heardAfter(heard, now);
      if (words !== null) say(words);
    },
  };
}

/** Failures within this time are said together. */
const TOGETHER_MS = 400;

/** Gathers failures, and says them. */
export function createFailureVoice(say: (text: string) => void) {
  let failed: Failed[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const speak = () => {
    timer = undefined;
    const [first, ...others] = failed;
    failed = [];
    if (first) say(failureWords([first, ...others]));
  };
  return {
    add(one: Failed) {
      failed.push(one);
      timer ??= setTimeout(speak, TOGETHER_MS);
    },
    stop: () => clearTimeout(timer),
  };
}
