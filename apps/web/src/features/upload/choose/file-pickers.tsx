import { useLingui } from '@lingui/react/macro';
import { type ChangeEvent, useRef } from 'react';
import {
  canPickDirectory,
  canPickHandles,
  pickDirectory,
  pickWithHandles,
} from '../../../engine/uploads/log/dropped-handles.ts';
import { type Choice, directoryFiles, pickedFiles, saysSomething } from '../../../engine/uploads/queue/chosen-files.ts';

interface FilePickersProps {
  onFiles: (choice: Choice) => void;
}

/** Two hidden file inputs, and functions that open them. */
export function useFilePickers({ onFiles }: FilePickersProps) {
  const { t } = useLingui();
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  /** With handles where the browser gives them: after a reload, one click then goes on. */
  const pickFiles = () => {
    if (!canPickHandles()) return files.current?.click();
    void pickWithHandles().then((picked) => {
      if (picked === 'refused') files.current?.click();
      else if (picked.length > 0) onFiles(pickedFiles(picked));
    });
  };
  const pickFolder = () => {
    if (!canPickDirectory()) return folder.current?.click();
    void pickDirectory().then(async (picked) => {
      if (picked === 'refused') return folder.current?.click();
      const choice = picked && (await directoryFiles(picked));
      if (choice && saysSomething(choice)) onFiles(choice);
    });
  };
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
  return { inputs, pickFiles, pickFolder };
}
