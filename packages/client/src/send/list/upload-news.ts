import type { AppError } from '@satchel/contract/errors';
import { countItems, isBusy, overallPercent, type QueueState, type RejectedFile } from './queue.ts';

interface Failed {
  readonly name: string;
  readonly error: AppError;
}

/** What a person is told of uploads while they do something else. The page has the words. */
export type UploadNews =
  /** Chosen files came onto the list, or did not. */
  | {
      readonly type: 'chosen';
      readonly added: number;
      readonly rejected: readonly RejectedFile[];
      readonly unreadable: readonly string[];
      /** Whether more files were chosen than one choice may have. */
      readonly isCut: boolean;
    }
  /** The folder has other files of these names. */
  | { readonly type: 'differing'; readonly count: number }
  /** Files of unfinished uploads that this browser could not read again; null for a name that is not known. */
  | { readonly type: 'lost'; readonly names: readonly (string | null)[] }
  /** A quarter of the whole queue is done. */
  | { readonly type: 'progress'; readonly percent: number }
  | { readonly type: 'ended'; readonly completed: number; readonly error: number }
  | { readonly type: 'failed'; readonly files: readonly [Failed, ...Failed[]] }
  /** The file was uploaded, and the one that it replaces could not be deleted. */
  | ({ readonly type: 'not_replaced' } & Failed);

export type TellUploadNews = (news: UploadNews) => void;

interface Heard {
  readonly busy: boolean;
  /** Whole quarters of the whole queue. */
  readonly quarter: number;
  /** Counts of completed and failed files when the queue last started. */
  readonly completed: number;
  readonly error: number;
}

/** The state to compare the next one with: while the queue runs, it keeps the counts from the queue's start. */
export function heardAfter(before: Heard, now: Heard): Heard {
  const { completed, error } = before.busy && now.busy ? before : now;
  return { ...now, completed, error };
}

/** The news after `before` became `now`; null when there is none. */
export function progressNews(before: Heard, now: Heard): UploadNews | null {
  if (before.busy && !now.busy) {
    const completed = now.completed - before.completed;
    const error = Math.max(0, now.error - before.error);
    return completed > 0 ? { type: 'ended', completed, error } : null;
  }
  const isQuarter = now.busy && now.quarter > before.quarter && now.quarter < 4;
  return isQuarter ? { type: 'progress', percent: now.quarter * 25 } : null;
}

/** Follows a queue, and tells its quarters and its end. */
export function createProgressNews(tell: TellUploadNews): (queue: QueueState) => void {
  let heard: Heard = { quarter: 0, busy: false, completed: 0, error: 0 };
  return (queue) => {
    const { completed, error } = countItems(queue);
    const now = { quarter: Math.floor(overallPercent(queue) / 25), busy: isBusy(queue), completed, error };
    // A file that failed and is retried changes the counts: only a quarter, a start or an end is a step.
    if (now.quarter === heard.quarter && now.busy === heard.busy) return;
    const news = progressNews(heard, now);
    heard = heardAfter(heard, now);
    if (news !== null) tell(news);
  };
}

/** Failures within this time are told together: a full account would otherwise be told of once a file. */
const TOGETHER_MS = 400;

export function createFailureNews(tell: TellUploadNews) {
  let failed: Failed[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tellAll = () => {
    timer = undefined;
    const [first, ...others] = failed;
    failed = [];
    if (first) tell({ type: 'failed', files: [first, ...others] });
  };
  return {
    add(one: Failed) {
      failed.push(one);
      timer ??= setTimeout(tellAll, TOGETHER_MS);
    },
    stop: () => clearTimeout(timer),
  };
}
