import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { useCallback, useEffect, useRef, useState } from 'react';
import { askBeforeLeaving } from '../../../account/sign-out/leaving.ts';
import { ConfirmDialog } from '../../../ui/dialogs/dialog.tsx';

/**
 * Confirms a sign-out during uploads. The browser asks before the site is left; other pages of the site
 * don't stop uploads.
 * @param onLeft called after the sign-out
 */
export function useLeaveQuestion(busy: boolean, onLeft: () => void) {
  const [asking, setAsking] = useState(false);
  const answer = useRef<((leaves: boolean) => void) | null>(null);
  const reply = useCallback((leaves: boolean) => {
    setAsking(false);
    answer.current?.(leaves);
    answer.current = null;
  }, []);
  const ask = useCallback(() => {
    // A second sign-out while the question is open answers the first with "stay".
    answer.current?.(false);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    answer.current = resolve;
    setAsking(true);
    return promise;
  }, []);
  useEffect(() => {
    if (busy) return askBeforeLeaving(ask, onLeft);
    // The last file was uploaded while the question was open: sign out without an answer.
    reply(true);
  }, [busy, ask, reply, onLeft]);
  return { asking, reply };
}

interface LeaveDialogProps {
  /** Number of files that are not uploaded yet. */
  count: number;
  onAnswer: (leaves: boolean) => void;
}

/** Confirms a sign-out during uploads. */
export function LeaveDialog({ count, onAnswer }: LeaveDialogProps) {
  const { t } = useLingui();
  return (
    <ConfirmDialog
      title={t`Leave while files are uploading?`}
      description={
        <p>
          <Plural
            value={count}
            one="# file is not uploaded yet. Its upload stops when you leave."
            other="# files are not uploaded yet. Their uploads stop when you leave."
          />{' '}
          <Trans>Come back and choose the same files, and they continue where they stopped.</Trans>
        </p>
      }
      cancel={t`Stay`}
      yes={t`Leave`}
      onClose={() => onAnswer(false)}
      onConfirm={() => onAnswer(true)}
    />
  );
}
