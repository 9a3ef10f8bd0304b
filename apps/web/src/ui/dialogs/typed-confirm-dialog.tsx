import { Trans, useLingui } from '@lingui/react/macro';
import { type FormEvent, type MouseEvent, type ReactNode, useState } from 'react';
import { Button } from '../base/button.tsx';
import { TextField } from '../forms/field.tsx';
import { ConfirmDialog } from './dialog.tsx';

interface TypedConfirmDialogProps {
  /** The word to type, in capitals, to prevent accidents. */
  word: string;
  title: string;
  description: ReactNode;
  /** What the button says, and while it is being done. */
  yes: ReactNode;
  doing: ReactNode;
  /** Said before the reason when it was not done. */
  notDone: ReactNode;
  onClose: () => void;
  /** Resolves to the reason when it failed; then the dialog stays. */
  onConfirm: () => Promise<string | null>;
}

function useConfirmation({ word, onConfirm }: TypedConfirmDialogProps) {
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const isConfirmed = typed.trim().toUpperCase() === word;
  const confirm = async (event: MouseEvent | FormEvent) => {
    // The dialog stays until the server has answered.
    event.preventDefault();
    if (busy || !isConfirmed) return;
    setBusy(true);
    setFailure(null);
    setFailure(await onConfirm());
    setBusy(false);
  };
  return { typed, setTyped, busy, failure, isConfirmed, confirm };
}

/** Confirms an act that can't be undone: requires a typed word, and shows why the act failed. */
export function TypedConfirmDialog(props: TypedConfirmDialogProps) {
  const { t } = useLingui();
  const { word, title, description, yes, doing, notDone, onClose } = props;
  const { typed, setTyped, busy, failure, isConfirmed, confirm } = useConfirmation(props);
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={title}
      description={description}
      cancel={
        <Button size="lg">
          <Trans>Cancel</Trans>
        </Button>
      }
      action={
        <Button size="lg" tone="danger" busy={busy} disabled={!isConfirmed} aria-disabled={busy} onClick={confirm}>
          {busy ? doing : yes}
        </Button>
      }
    >
      <form className="mt-4" onSubmit={confirm}>
        <TextField
          label={t`Type ${word} to confirm`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
        />
        {failure && (
          <p role="alert" className="mt-3 text-sm text-danger">
            {notDone} {failure}
          </p>
        )}
      </form>
    </ConfirmDialog>
  );
}
