import { Plural, Trans, useLingui } from '@lingui/react/macro';
import type { Folder } from '@satchel/contract/entities';
import { deleteFolder } from '../../account/own-data/delete-folder.ts';
import { refreshOwnAccount } from '../../account/own-data/own-account.ts';
import { queryClient } from '../../account/session/query-client.ts';
import { uploadActivity } from '../../engine/uploads/upload-activity.ts';
import { useStore } from '../../lib/base/page-hooks.ts';
import { notify } from '../../lib/base/toast.ts';
import { unnamedTitle } from '../../lib/figures/folder-title.ts';
import { ConfirmDialog } from '../../ui/dialogs/dialog.tsx';

interface DeleteFolderDialogProps {
  folder: Folder;
  userId: string;
  onClose: () => void;
}

/** Confirms the deletion of a folder in the list. */
export function DeleteFolderDialog({ folder, userId, onClose }: DeleteFolderDialogProps) {
  const { t } = useLingui();
  const { file_count: files, id, slug } = folder;
  const name = folder.name || unnamedTitle(folder.created_at);
  const isUploading = useStore(uploadActivity).some(({ folderId, isBusy }) => folderId === id && isBusy);
  const remove = async () => {
    await deleteFolder(folder, userId);
    queryClient.removeQueries({ queryKey: ['folder', slug] });
    await refreshOwnAccount(userId);
    notify(() => t`${name} deleted`);
  };
  return (
    <ConfirmDialog
      title={t`Delete this folder?`}
      description={
        <p className="wrap-anywhere">
          {isUploading && (
            <>
              <Trans>Files are still uploading to this folder. The uploads stop.</Trans>{' '}
            </>
          )}
          {files > 0 ? (
            <Trans>
              <b className="font-medium text-ink">{name}</b> is deleted right away, with{' '}
              <Plural value={files} one="# file" other="# files" />, its key and its link. This can’t be undone.
            </Trans>
          ) : (
            <Trans>
              <b className="font-medium text-ink">{name}</b> is deleted right away, with its key and its link. This
              can’t be undone.
            </Trans>
          )}
        </p>
      }
      yes={t`Yes, Delete Forever`}
      doing={t`Deleting...`}
      notDone={t`The folder was not deleted.`}
      onClose={onClose}
      onConfirm={remove}
    />
  );
}
