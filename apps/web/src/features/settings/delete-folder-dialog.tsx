import { Plural, Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { TypedConfirmDialog } from '../../ui/dialogs/typed-confirm-dialog.tsx';

interface DeleteFolderDialogProps {
  slug: string;
  fileCount: number;
  /** This tab is uploading to the folder. */
  isUploading: boolean;
  onClose: () => void;
  /** @throws AppError the folder is still there */
  onDelete: () => Promise<void>;
}

const Slug = ({ children }: { children?: ReactNode }) => (
  <code className="rounded-chip bg-raised px-1.5 py-0.5 font-mono text-xs text-ink wrap-anywhere">{children}</code>
);

type DescriptionProps = Pick<DeleteFolderDialogProps, 'slug' | 'fileCount' | 'isUploading'>;

const Description = ({ slug, fileCount, isUploading }: DescriptionProps) => (
  <p>
    {isUploading && (
      <>
        <Trans>Files are still uploading to this folder. The uploads stop.</Trans>{' '}
      </>
    )}
    {fileCount > 0 ? (
      <Trans>
        The folder <Slug>/{slug}</Slug> and its <Plural value={fileCount} one="# file" other="# files" /> will be
        deleted. This can’t be undone.
      </Trans>
    ) : (
      <Trans>
        The folder <Slug>/{slug}</Slug> will be deleted. This can’t be undone.
      </Trans>
    )}
  </p>
);

export function DeleteFolderDialog({ onClose, onDelete, ...folder }: DeleteFolderDialogProps) {
  const { t } = useLingui();
  return (
    <TypedConfirmDialog
      word="DELETE"
      title={t`Delete this folder?`}
      description={<Description {...folder} />}
      yes={t`Yes, Delete Forever`}
      doing={t`Deleting...`}
      notDone={t`The folder was not deleted.`}
      onClose={onClose}
      onConfirm={onDelete}
    />
  );
}
