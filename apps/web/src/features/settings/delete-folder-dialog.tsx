import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { type FormEvent, type MouseEvent, type ReactNode, useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';

/** What has to be typed, so that nobody deletes a folder by a slip. */
const WORD = 'DELETE';

interface DeleteFolderDialogProps {
  slug: string;
  fileCount: number;
  open: boolean;
  onOpenChange: (open: boolean) => void;
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

function useConfirmation({ open, onDelete }: DeleteFolderDialogProps) {
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const isConfirmed = typed.trim().toUpperCase() === WORD;
  useEffect(() => {
    if (!open) return;
    setTyped('');
    setFailure(null);
  }, [open]);
  const remove = async (event: MouseEvent | FormEvent) => {
    // The dialog stays until the server has answered.
    event.preventDefault();
    if (busy || !isConfirmed) return;
    setBusy(true);
    setFailure(await onDelete());
    setBusy(false);
  };
  return { typed, setTyped, busy, failure, isConfirmed, remove };
}

export function DeleteFolderDialog(props: DeleteFolderDialogProps) {
  const { t } = useLingui();
  const { typed, setTyped, busy, failure, isConfirmed, remove } = useConfirmation(props);
  return (
    <ConfirmDialog
      open={props.open}
      onOpenChange={props.onOpenChange}
      title={t`Delete this folder?`}
      description={<Description slug={props.slug} fileCount={props.fileCount} />}
      cancel={
        <Button size="lg">
          <Trans>Cancel</Trans>
        </Button>
      }
      action={
        <Button size="lg" tone="danger" busy={busy} disabled={!isConfirmed} aria-disabled={busy} onClick={remove}>
          {busy ? <Trans>Deleting...</Trans> : <Trans>Yes, Delete Forever</Trans>}
        </Button>
      }
    >
      <form className="mt-4" onSubmit={remove}>
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
            <Trans>The folder was not deleted.</Trans> {failure}
          </p>
        )}
      </form>
    </ConfirmDialog>
  );
}
