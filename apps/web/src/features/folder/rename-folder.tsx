import { useLingui } from '@lingui/react/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import { Pencil } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { lazyPart } from '../../lib/texts/lazy-part.ts';
import { IconButton } from '../../ui/base/button.tsx';

/** Loads with the first click: most visits of an owner change no name. */
const RenameForm = lazyPart(() => import('./rename-form.tsx'), 'RenameForm', 'later');

interface RenameFolderProps {
  folder: FolderCompleteData;
  /** Whether the field stands in place of the name. */
  isEditing: boolean;
  onEditing: (isEditing: boolean) => void;
  /** Loads the folder's facts again. */
  onRenamed: () => void;
}

/** The owner's way to another name of the folder, in place. */
export function RenameFolder({ isEditing, onEditing, ...props }: RenameFolderProps) {
  const { t } = useLingui();
  const button = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(isEditing);
  useEffect(() => {
    if (wasEditing.current && !isEditing) button.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);
  if (isEditing) return <RenameForm {...props} onClose={() => onEditing(false)} />;
  return (
    <IconButton
      ref={button}
      size="sm"
      label={t`Rename folder`}
      onClick={() => onEditing(true)}
      className="max-sm:size-10"
    >
      <Pencil size={15} aria-hidden />
    </IconButton>
  );
}
