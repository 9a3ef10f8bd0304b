import { useBlocker } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { importWithTexts } from '../../lib/import-with-texts.ts';
import { askBeforeLeaving } from '../../lib/leaving.ts';
import { useOwnLimits } from '../../lib/own-account.ts';
import type { UploadQueueOptions } from './queue-options.ts';
import type { UploadDesk } from './upload-desk.ts';
import { useUploadQueue } from './use-upload-queue.ts';

const loadDialog = () => import('./leave-dialog.tsx');
const LeaveDialog = lazy(async () => ({ default: (await importWithTexts('upload', loadDialog)).LeaveDialog }));

/** Asks before running uploads are left: by the browser, by a link of the site, by signing out. */
function useLeaveQuestion(busy: boolean, onLeft: () => void) {
  const [asking, setAsking] = useState(false);
  const answer = useRef<((leaves: boolean) => void) | null>(null);
  const reply = (leaves: boolean) => {
    setAsking(false);
    answer.current?.(leaves);
    answer.current = null;
  };
  const ask = useCallback(() => {
    // A second way out while the first is being asked about waits for nothing: the person stays.
    answer.current?.(false);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    answer.current = resolve;
    setAsking(true);
    return promise;
  }, []);
  useBlocker({
    shouldBlockFn: async ({ current, next }) => current.pathname !== next.pathname && !(await ask()),
    enableBeforeUnload: busy,
    disabled: !busy,
  });
  useEffect(() => {
    if (!busy) return;
    return askBeforeLeaving(ask, onLeft);
  }, [busy, ask, onLeft]);
  useEffect(() => {
    if (busy) {
      // Fetched while there is a network: it may be gone when the question comes up.
      loadDialog().catch(() => undefined);
      return;
    }
    // The last file has come through while the question stood: there is nothing to ask any more.
    answer.current?.(true);
    answer.current = null;
    setAsking(false);
  }, [busy]);
  return { asking, reply };
}

interface UploadQueueHostProps {
  desk: UploadDesk;
  options: UploadQueueOptions;
}

/** Holds the queue of an owner's page, whatever tab of it is shown. */
export function UploadQueueHost({ desk, options }: UploadQueueHostProps) {
  const { limits, isLoading } = useOwnLimits(options.userId ?? '');
  const queue = useUploadQueue(options, limits.max_file_bytes);
  // What is chosen waits until it is known how large a file may be: nothing is refused by somebody else's limit.
  useLayoutEffect(() => desk.show(isLoading ? null : queue));
  useLayoutEffect(() => () => desk.show(null), [desk]);
  const { asking, reply } = useLeaveQuestion(queue.busy, queue.abandon);
  const { pending, encrypting, uploading, paused } = queue.counts;
  const left = pending + encrypting + uploading + paused;
  return <Suspense>{asking && <LeaveDialog count={left} onAnswer={reply} />}</Suspense>;
}
