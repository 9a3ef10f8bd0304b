import { Plural, Trans, useLingui } from '@lingui/react/macro';
import type { Folder } from '@satchel/contract/entities';
import { type AppError, toAppError } from '@satchel/contract/errors';
import { type MouseEvent, useState } from 'react';
import { refreshOwnAccount } from '../../account/own-data/own-account.ts';
import { queryClient } from '../../account/session/query-client.ts';
import { deleteFolder } from '../../engine/folders/delete-folder.ts';
import { uploadActivity } from '../../engine/uploads/upload-activity.ts';
import { useStore } from '../../lib/base/page-hooks.ts';
import { notify } from '../../lib/base/toast.ts';
import { errorText } from '../../lib/texts/error-text.ts';
import { Button } from '../../ui/base/button.tsx';
import { ConfirmDialog } from '../../ui/dialogs/dialog.tsx';

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
    // The dialog stays open until the server answers.
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

/** Confirms the deletion of a folder in the list. */
export function DeleteFolderDialog(props: DeleteFolderDialogProps) {
  const { t } = useLingui();
  const { name, busy, failure, remove } = useDeletion(props);
  const { file_count: files, id } = props.folder;
  const isUploading = useStore(uploadActivity).some(({ folderId, isBusy }) => folderId === id && isBusy);
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && props.onClose()}
      title={t`Delete this folder?`}
      description={
        <p className="wrap-anywhere">
          {isUploading && (
            <>
              <Trans>Files are still uploading to it. They stop.</Trans>{' '}
            </>
          )}
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
