import { useLingui } from '@lingui/react/macro';
import type { Choice } from '@satchel/client/send/order';
import { type ChangeEvent, useRef } from 'react';
import {
  canPickDirectory,
  canPickHandles,
  pickDirectory,
  pickWithHandles,
} from '../../../engine/uploads/log/dropped-handles.ts';
import { directoryFiles, pickedFiles, saysSomething } from '../../../engine/uploads/queue/chosen-files.ts';

interface FilePickersProps {
  onFiles: (choice: Choice) => void;
}

/** Two hidden file inputs, and functions that open them. */
export function useFilePickers({ onFiles }: FilePickersProps) {
  const { t } = useLingui();
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  /** With handles where the browser gives them: after a reload, one click then continues. */
  const take = async (choosing: Promise<Choice>) => {
    const choice = await choosing;
    if (saysSomething(choice)) onFiles(choice);
  };
  const pickFiles = () => {
    if (!canPickHandles()) return files.current?.click();
    void pickWithHandles().then((picked) => {
      if (picked === 'refused') files.current?.click();
      else void take(pickedFiles(picked));
    });
  };
  const pickFolder = () => {
    if (!canPickDirectory()) return folder.current?.click();
    void pickDirectory().then((picked) => {
      if (picked === 'refused') folder.current?.click();
      else if (picked) void take(directoryFiles(picked));
    });
  };
  const onChange = ({ target }: ChangeEvent<HTMLInputElement>) => {
    void take(pickedFiles(target.files ?? []));
    // Reset, so that the same file can be chosen again.
    target.value = '';
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
