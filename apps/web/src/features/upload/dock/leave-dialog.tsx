import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button } from '../../../ui/base/button.tsx';
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
      open
      onOpenChange={(now) => !now && onAnswer(false)}
      title={t`Leave while files are uploading?`}
      description={
        <p>
          <Plural
            value={count}
            one="# file is not uploaded yet, and stops when you leave."
            other="# files are not uploaded yet, and stop when you leave."
          />{' '}
          <Trans>Come back and choose the same files, and they go on where they stopped.</Trans>
        </p>
      }
      cancel={
        <Button size="lg">
          <Trans>Stay</Trans>
        </Button>
      }
      action={
        <Button tone="danger" size="lg" onClick={() => onAnswer(true)}>
          <Trans>Leave</Trans>
        </Button>
      }
    />
  );
}
