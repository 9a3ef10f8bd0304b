import { Plural, Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { TypedConfirmDialog } from '../../ui/typed-confirm-dialog.tsx';

interface DeleteFolderDialogProps {
  slug: string;
  fileCount: number;
  onClose: () => void;
  /** Resolves to the reason when it failed. */
  onDelete: () => Promise<string | null>;
}

const Slug = ({ children }: { children?: ReactNode }) => (
  <code className="rounded-chip bg-raised px-1.5 py-0.5 font-mono text-xs text-ink wrap-anywhere">{children}</code>
);

const Description = ({ slug, fileCount }: Pick<DeleteFolderDialogProps, 'slug' | 'fileCount'>) => (
  <p>
    {fileCount > 0 ? (
      <Trans>
        You are about to delete <Slug>/{slug}</Slug> with <Plural value={fileCount} one="# file" other="# files" />.
        This can’t be undone.
      </Trans>
    ) : (
      <Trans>
        You are about to delete <Slug>/{slug}</Slug>. This can’t be undone.
      </Trans>
    )}
  </p>
);

export function DeleteFolderDialog({ slug, fileCount, onClose, onDelete }: DeleteFolderDialogProps) {
  const { t } = useLingui();
  return (
    <TypedConfirmDialog
      word="DELETE"
      title={t`Delete this folder?`}
      description={<Description slug={slug} fileCount={fileCount} />}
      yes={<Trans>Yes, Delete Forever</Trans>}
      doing={<Trans>Deleting...</Trans>}
      notDone={<Trans>The folder was not deleted.</Trans>}
      onClose={onClose}
      onConfirm={onDelete}
    />
  );
}
