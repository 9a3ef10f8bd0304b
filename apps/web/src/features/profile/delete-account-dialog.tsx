import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { deleteAccount } from '../../account/own-data/delete-account.ts';
import { TypedConfirmDialog } from '../../ui/dialogs/typed-confirm-dialog.tsx';

interface EraseDialogProps {
  folderCount: number;
  onClose: () => void;
  onErased: (isDeviceClean: boolean) => void;
}

const WhatGoes = ({ folderCount }: { folderCount: number }) => (
  <>
    <p>
      <Trans>These are deleted right away, and can’t be brought back:</Trans>
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
        <Trans>your profile with its name, e-mail address and pictures, and all its sessions</Trans>
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
  return (
    <TypedConfirmDialog
      word="ERASE"
      title={t`Erase everything?`}
      description={<WhatGoes folderCount={folderCount} />}
      yes={t`Yes, Erase Everything`}
      doing={t`Erasing...`}
      notDone={t`Nothing was erased.`}
      onClose={onClose}
      onConfirm={async () => onErased(await deleteAccount())}
    />
  );
}
