import { useLingui } from '@lingui/react/macro';
import { type ComponentProps, useState } from 'react';
import { TextField } from '../forms/field.tsx';
import { ConfirmDialog } from './dialog.tsx';

interface TypedConfirmDialogProps extends Omit<ComponentProps<typeof ConfirmDialog>, 'children' | 'isReady'> {
  /** The word to type, in capitals, to prevent accidents. */
  word: string;
}

/** Confirms an act that can't be undone: requires a typed word. */
export function TypedConfirmDialog({ word, ...props }: TypedConfirmDialogProps) {
  const { t } = useLingui();
  const [typed, setTyped] = useState('');
  return (
    <ConfirmDialog {...props} isReady={typed.trim().toUpperCase() === word}>
      <TextField
        label={t`Type ${word} to confirm`}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
      />
    </ConfirmDialog>
  );
}
