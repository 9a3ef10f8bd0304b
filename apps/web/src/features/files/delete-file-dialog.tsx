import { type MouseEvent, useState } from 'react';
import { announce } from '../../lib/announce.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { cardOf, tabStopCard } from './card-focus.ts';
import type { FileItem } from './file-model.ts';

interface DeleteFileDialogProps {
  file: FileItem;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Resolves to whether the file is gone. */
  onRemove: (id: string) => Promise<boolean>;
  onDone: () => void;
}

export function DeleteFileDialog({ file, open, onOpenChange, onRemove, onDone }: DeleteFileDialogProps) {
  const [busy, setBusy] = useState(false);
  const remove = async (event: MouseEvent) => {
    // The dialog stays until the server has answered.
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    const isGone = await onRemove(file.id);
    setBusy(false);
    onOpenChange(false);
    if (!isGone) return;
    announce(`${file.name} deleted`);
    onDone();
  };
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      // With its card, what opened the dialog is gone, too.
      returnFocus={() => (cardOf(file.id) ? undefined : tabStopCard())}
      title="Delete this file?"
      description={
        <p>
          <b className="font-medium text-ink wrap-anywhere">{file.name}</b> is removed for everyone who has the link.
          Nobody can bring it back.
        </p>
      }
      cancel={<Button size="lg">Cancel</Button>}
      action={
        <Button size="lg" tone="danger" busy={busy} aria-disabled={busy} onClick={remove}>
          {busy ? 'Deleting...' : 'Yes, Delete File'}
        </Button>
      }
    />
  );
}
