import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { type AppError, toAppError } from '@satchel/contract/errors';
import { type FormEvent, type MouseEvent, useState } from 'react';
import { eraseAccount } from '../../lib/erase-account.ts';
import { errorText } from '../../lib/error-text.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';

/** What has to be typed, so that nobody erases an account by a slip. */
const WORD = 'ERASE';

interface EraseDialogProps {
  folderCount: number;
  onClose: () => void;
  onErased: (isDeviceClean: boolean) => void;
}

const WhatGoes = ({ folderCount }: { folderCount: number }) => (
  <>
    <p>
      <Trans>These go at once, and can’t be brought back:</Trans>
    </p>
    <ul className="mt-2 grid list-disc gap-1 pl-5">
      {folderCount > 0 && (
        <li>
          <Trans>
            <Plural value={folderCount} one="your folder" other="your # folders" />, with all files and links
          </Trans>
        </li>
      )}
      <li>
        <Trans>your profile with its name, e-mail address and pictures, and every session of it</Trans>
      </li>
      <li>
        <Trans>your name in the activity of folders you visited</Trans>
      </li>
      <li>
        <Trans>every folder key on this device</Trans>
      </li>
    </ul>
    <p className="mt-3">
      <Trans>Files that others have downloaded already stay with them. Your Discord account is not touched.</Trans>
    </p>
  </>
);

function useErasure({ onErased }: EraseDialogProps) {
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<AppError | null>(null);
  const isConfirmed = typed.trim().toUpperCase() === WORD;
  const erase = async (event: MouseEvent | FormEvent) => {
    // The dialog stays until the server has answered.
    event.preventDefault();
    if (busy || !isConfirmed) return;
    setBusy(true);
    setFailure(null);
    try {
      onErased(await eraseAccount());
    } catch (error) {
      setFailure(toAppError(error));
      setBusy(false);
    }
  };
  return { typed, setTyped, busy, failure, isConfirmed, erase };
}

/** Asked before everything is erased: says what goes, and wants a word typed. */
export function EraseDialog(props: EraseDialogProps) {
  const { t } = useLingui();
  const { typed, setTyped, busy, failure, isConfirmed, erase } = useErasure(props);
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && props.onClose()}
      title={t`Erase everything?`}
      description={<WhatGoes folderCount={props.folderCount} />}
      cancel={
        <Button size="lg">
          <Trans>Cancel</Trans>
        </Button>
      }
      action={
        <Button size="lg" tone="danger" busy={busy} disabled={!isConfirmed} aria-disabled={busy} onClick={erase}>
          {busy ? <Trans>Erasing...</Trans> : <Trans>Yes, Erase Everything</Trans>}
        </Button>
      }
    >
      <form className="mt-4" onSubmit={erase}>
        <TextField
          label={t`Type ${WORD} to confirm`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
        />
        {failure && (
          <p role="alert" className="mt-3 text-sm text-danger">
            <Trans>Nothing was erased.</Trans> {errorText(failure)}
          </p>
        )}
      </form>
    </ConfirmDialog>
  );
}
