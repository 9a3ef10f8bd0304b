import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { ConfirmDialog } from '../../../ui/dialogs/dialog.tsx';

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
          <Trans>Come back and choose the same files, and they go on where they stopped.</Trans>
        </p>
      }
      cancel={t`Stay`}
      yes={t`Leave`}
      onClose={() => onAnswer(false)}
      onConfirm={() => onAnswer(true)}
    />
  );
}
