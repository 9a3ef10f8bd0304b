import { Plural, Trans, useLingui } from '@lingui/react/macro';
import type { Folder } from '@satchel/contract/entities';
import { type AppError, toAppError } from '@satchel/contract/errors';
import { type MouseEvent, useState } from 'react';
import { deleteFolder } from '../../lib/delete-folder.ts';
import { errorText } from '../../lib/error-text.ts';
import { refreshOwnAccount } from '../../lib/own-account.ts';
import { queryClient } from '../../lib/query-client.ts';
import { notify } from '../../lib/toast.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';

interface DeleteFolderDialogProps {
  folder: Folder;
  userId: string;
  onClose: () => void;
}

function useDeletion({ folder, userId, onClose }: DeleteFolderDialogProps) {
  const { t } = useLingui();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<AppError | null>(null);
  const name = folder.name || folder.slug;
  const remove = async (event: MouseEvent) => {
    // The dialog stays until the server has answered.
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setFailure(null);
    try {
      await deleteFolder(folder, userId);
      queryClient.removeQueries({ queryKey: ['folder', folder.slug] });
      await refreshOwnAccount(userId);
      onClose();
      notify(t`${name} deleted`);
    } catch (error) {
      setFailure(toAppError(error));
      setBusy(false);
    }
  };
  return { name, busy, failure, remove };
}

/** Asked before a folder is deleted from the list. */
export function DeleteFolderDialog(props: DeleteFolderDialogProps) {
  const { t } = useLingui();
  const { name, busy, failure, remove } = useDeletion(props);
  const { file_count: files } = props.folder;
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && props.onClose()}
      title={t`Delete this folder?`}
      description={
        <p className="wrap-anywhere">
          {files > 0 ? (
            <Trans>
              <b className="font-medium text-ink">{name}</b> goes right away, with{' '}
              <Plural value={files} one="# file" other="# files" />, its key and its link. This can’t be undone.
            </Trans>
          ) : (
            <Trans>
              <b className="font-medium text-ink">{name}</b> goes right away, with its key and its link. This can’t be
              undone.
            </Trans>
          )}
        </p>
      }
      cancel={
        <Button size="lg">
          <Trans>Cancel</Trans>
        </Button>
      }
      action={
        <Button size="lg" tone="danger" busy={busy} aria-disabled={busy} onClick={remove}>
          {busy ? <Trans>Deleting...</Trans> : <Trans>Yes, Delete Forever</Trans>}
        </Button>
      }
    >
      {failure && (
        <p role="alert" className="mt-3 text-sm text-danger">
          <Trans>The folder was not deleted.</Trans> {errorText(failure)}
        </p>
      )}
    </ConfirmDialog>
  );
}
