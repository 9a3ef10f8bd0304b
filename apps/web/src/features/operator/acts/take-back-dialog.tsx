import { Trans } from '@lingui/react/macro';
import { type MouseEvent, type ReactNode, useRef } from 'react';
import { Button } from '../../../ui/base/button.tsx';
import { ConfirmDialog } from '../../../ui/dialogs/dialog.tsx';
import { operatorList } from '../list-focus.ts';
import { useAct } from './use-act.ts';

interface TakeBackDialogProps {
  title: string;
  description: ReactNode;
  yes: ReactNode;
  onClose: () => void;
  onDone: () => void;
  onConfirm: () => Promise<unknown>;
}

/** Confirms that an operator's measure is undone. */
export function TakeBackDialog({ title, description, yes, onClose, onDone, onConfirm }: TakeBackDialogProps) {
  const { busy, failure, run } = useAct();
  const isDone = useRef(false);
  const confirm = async (event: MouseEvent) => {
    // The dialog stays open until the server answers.
    event.preventDefault();
    if (!(await run(onConfirm))) return;
    isDone.current = true;
    onDone();
  };
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={title}
      returnFocus={() => (isDone.current ? operatorList() : null)}
      description={<p className="wrap-anywhere">{description}</p>}
      cancel={
        <Button size="lg">
          <Trans>Cancel</Trans>
        </Button>
      }
      action={
        <Button size="lg" tone="danger" busy={busy} aria-disabled={busy} onClick={confirm}>
          {yes}
        </Button>
      }
    >
      {failure && (
        <p role="alert" className="mt-3 text-sm text-danger">
          {failure}
        </p>
      )}
    </ConfirmDialog>
  );
}
