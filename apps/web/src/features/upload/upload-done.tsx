import { Plural, Trans } from '@lingui/react/macro';
import { countIn, mayRetry } from '@satchel/client/send/list/queue';
import { ChevronDown, CircleAlert, CircleCheck, Plus, RotateCw } from 'lucide-react';
import { Fragment, type ReactNode, useId, useState } from 'react';
import type { UploadActions } from '../../engine/uploads/folder-uploads.ts';
import { cx } from '../../lib/base/class-names.ts';
import { bytes } from '../../lib/figures/format.ts';
import { Button } from '../../ui/base/button.tsx';
import { ClearAll } from './rows/clear-all.tsx';
import { UploadRows } from './rows/upload-rows.tsx';
import { countChips } from './upload-texts.ts';
import type { UploadQueue } from './use-folder-uploads.ts';

/** All files have come to an end, a good or a bad one: none is under way or waits. */
export const isDone = ({ counts, busy }: Pick<UploadQueue, 'counts' | 'busy'>): boolean =>
  !busy && counts.completed + counts.error > 0 && counts.pending === 0 && counts.paused === 0;

interface UploadDoneProps {
  queue: UploadQueue;
  actions: UploadActions;
  onPickFiles: () => void;
  /** How the folder is handed on. */
  moment: ReactNode;
}

interface RetryAllProps {
  count: number;
  onRetry: () => void;
  isPrimary: boolean;
}

/** Tries all files again that failed, and that may be tried. */
export const RetryAll = ({ count, onRetry, isPrimary }: RetryAllProps) => (
  <Button
    tone={isPrimary ? 'primary' : 'quiet'}
    size="lg"
    data-rest={isPrimary || undefined}
    className="justify-self-start max-sm:px-4"
    onClick={onRetry}
  >
    <RotateCw size={17} aria-hidden />
    <Plural value={count} one="Retry # file" other="Retry # files" />
  </Button>
);

/** The end of an upload: what is in, and how to hand it on; the list itself is behind one line. */
export function UploadDone({ queue, actions, onPickFiles, moment }: UploadDoneProps) {
  const { items, counts } = queue;
  // What failed waits for a person: the list is open then.
  const [isOpen, setOpen] = useState(counts.error > 0);
  const listId = useId();
  const total = bytes(queue.totalBytes);
  const [inside, count] = [countIn(items), items.length];
  const retriable = items.filter(mayRetry).length;
  return (
    <div className="card min-w-0 overflow-hidden motion-safe:animate-rise">
      <div className="grid gap-5 px-4 py-5 sm:px-5 sm:py-6">
        <div className="flex items-center gap-3">
          {counts.error > 0 ? (
            <CircleAlert size={26} strokeWidth={1.75} aria-hidden className="shrink-0 text-danger" />
          ) : (
            <CircleCheck size={26} strokeWidth={1.75} aria-hidden className="shrink-0 text-success" />
          )}
          <h2 className="display text-2xl">
            {counts.error > 0 ? (
              <Plural value={count} one={`${inside} of # file is in`} other={`${inside} of # files are in`} />
            ) : (
              <Plural value={inside} one="# file is in" other="# files are in" />
            )}
          </h2>
        </div>
        {retriable > 0 && <RetryAll count={retriable} onRetry={actions.retryAll} isPrimary />}
        {inside > 0 && moment}
      </div>
      <div className="flex flex-wrap items-center gap-2 border-t border-line px-2 py-2 max-sm:pb-4 sm:px-3">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? listId : undefined}
          onClick={() => setOpen(!isOpen)}
          className="flex min-h-10 min-w-0 items-center gap-1.5 rounded-control px-2 text-left text-xs text-muted tabular hover:text-ink"
        >
          {countChips(counts).map(({ status, text }) => (
            <Fragment key={status}>
              <span>{text}</span> <span aria-hidden>·</span>{' '}
            </Fragment>
          ))}
          <span>{total}</span>
          <ChevronDown size={15} aria-hidden className={cx('shrink-0 transition-transform', isOpen && 'rotate-180')} />
        </button>
        <div className="mr-2 ml-auto flex gap-1.5">
          <ClearAll size="sm" items={items} onClear={queue.clear} />
          {/* Where there is neither a link nor a retry, the focus rests here. */}
          <Button size="sm" data-rest={inside + retriable === 0 || undefined} onClick={onPickFiles}>
            <Plus size={15} aria-hidden />
            <Trans>Add More Files</Trans>
          </Button>
        </div>
      </div>
      {isOpen && (
        <div id={listId} className="-mb-px">
          <UploadRows items={items} actions={actions} />
        </div>
      )}
    </div>
  );
}
