import { useLingui } from '@lingui/react/macro';
import { type ChangeEvent, useRef } from 'react';
import { type Choice, pickedFiles, saysSomething } from '../../../engine/uploads/queue/chosen-files.ts';

interface FilePickersProps {
  onFiles: (choice: Choice) => void;
}

/** Two hidden file inputs, and functions that open them. */
export function useFilePickers({ onFiles }: FilePickersProps) {
  const { t } = useLingui();
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const onChange = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const choice = pickedFiles(target.files ?? []);
    // Reset, so that the same file can be chosen again.
    target.value = '';
    if (saysSomething(choice)) onFiles(choice);
  };
  const inputs = (
    <>
      <input ref={files} type="file" multiple hidden tabIndex={-1} aria-label={t`Choose files`} onChange={onChange} />
      <input
        ref={folder}
        type="file"
        hidden
        tabIndex={-1}
        aria-label={t`Choose a folder`}
        onChange={onChange}
        {...{ webkitdirectory: '' }}
      />
    </>
  );
  return { inputs, pickFiles: () => files.current?.click(), pickFolder: () => folder.current?.click() };
}
