import { plural, t } from '@lingui/core/macro';
import type { AppError } from '@satchel/contract/errors';
import { errorText } from '../../lib/error-text.ts';

/** What is said aloud of the queue (DESIGN-UX §5): quarters and the end politely, failures at once. */

export interface Heard {
  readonly busy: boolean;
  /** Whole quarters of the whole queue. */
  readonly quarter: number;
  /** How many files were completed and had failed, as of when the queue last set out. */
  readonly completed: number;
  readonly error: number;
}

/** What has been said once `now` has come: while the queue is at it, its counts stay those of its start. */
export function heardAfter(before: Heard, now: Heard): Heard {
  const { completed, error } = before.busy && now.busy ? before : now;
  return { ...now, completed, error };
}

/** What is to be said after `before` became `now`; null when nothing is. */
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

/** What is to be said of failures that came close together: a full account would otherwise be said once a file. */
export function failureWords([first, ...others]: readonly [Failed, ...Failed[]]): string {
  const { name } = first;
  const message = errorText(first.error);
  if (others.length === 0) return t`${name}: Error: ${message}`;
  const count = others.length + 1;
  return t`${count} uploads failed. ${name}: Error: ${message}`;
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
