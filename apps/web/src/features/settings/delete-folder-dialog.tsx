import { type FormEvent, type MouseEvent, useEffect, useState } from 'react';
import { plural } from '../../lib/format.ts';
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

const Description = ({ slug, fileCount }: Pick<DeleteFolderDialogProps, 'slug' | 'fileCount'>) => (
  <p>
    You are about to delete{' '}
    <code className="rounded-chip bg-raised px-1.5 py-0.5 font-mono text-xs text-ink wrap-anywhere">/{slug}</code>
    {fileCount > 0 && ` with ${plural(fileCount, 'file')}`}. This can’t be undone.
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
  const { typed, setTyped, busy, failure, isConfirmed, remove } = useConfirmation(props);
  return (
    <ConfirmDialog
      open={props.open}
      onOpenChange={props.onOpenChange}
      title="Delete this folder?"
      description={<Description slug={props.slug} fileCount={props.fileCount} />}
      cancel={<Button size="lg">Cancel</Button>}
      action={
        <Button size="lg" tone="danger" busy={busy} disabled={!isConfirmed} aria-disabled={busy} onClick={remove}>
          {busy ? 'Deleting...' : 'Yes, Delete Forever'}
        </Button>
      }
    >
      <form className="mt-4" onSubmit={remove}>
        <TextField
          label={`Type ${WORD} to confirm`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
        />
        {failure && (
          <p role="alert" className="mt-3 text-sm text-danger">
            The folder was not deleted. {failure}
          </p>
        )}
      </form>
    </ConfirmDialog>
  );
}
