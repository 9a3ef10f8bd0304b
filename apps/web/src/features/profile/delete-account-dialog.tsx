import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { toAppError } from '@satchel/contract/errors';
import { deleteAccount } from '../../account/own-data/delete-account.ts';
import { errorText } from '../../lib/texts/error-text.ts';
import { TypedConfirmDialog } from '../../ui/dialogs/typed-confirm-dialog.tsx';

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

/** Confirms the deletion of the account: lists what is deleted, and requires a typed word. */
export function EraseDialog({ folderCount, onClose, onErased }: EraseDialogProps) {
  const { t } = useLingui();
  const erase = async () => {
    try {
      onErased(await deleteAccount());
      return null;
    } catch (error) {
      return errorText(toAppError(error));
    }
  };
  return (
    <TypedConfirmDialog
      word="ERASE"
      title={t`Erase everything?`}
      description={<WhatGoes folderCount={folderCount} />}
      yes={<Trans>Yes, Erase Everything</Trans>}
      doing={<Trans>Erasing...</Trans>}
      notDone={<Trans>Nothing was erased.</Trans>}
      onClose={onClose}
      onConfirm={erase}
    />
  );
}
