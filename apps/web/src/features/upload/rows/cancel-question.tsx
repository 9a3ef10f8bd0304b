import { plural } from '@lingui/core/macro';
import { Plural, useLingui } from '@lingui/react/macro';
import { ConfirmDialog } from '../../../ui/dialogs/dialog.tsx';

interface CancelQuestionProps {
  /** Of how many uploads. */
  count?: number;
  onClose: () => void;
  onConfirm: () => void;
}

/** Confirms the deletion of what the server has of large files: chosen again, they start again. */
export function CancelQuestion({ count = 1, onClose, onConfirm }: CancelQuestionProps) {
  const { t } = useLingui();
  return (
    <ConfirmDialog
      title={plural(count, { one: 'Cancel this upload?', other: 'Cancel # uploads?' })}
      description={
        <p>
          <Plural
            value={count}
            one="The part that is already uploaded is deleted and can’t be brought back. If you choose the file again, it starts over."
            other="The parts that are already uploaded are deleted and can’t be brought back. If you choose the files again, they start over."
          />
        </p>
      }
      // The row, and the focused button in it, are gone then.
      returnFocus={(isDone) => (isDone ? document.querySelector<HTMLElement>('[data-rest]') : null)}
      cancel={t`Keep`}
      yes={t`Yes, Cancel`}
      onClose={onClose}
      onConfirm={onConfirm}
    />
  );
}
