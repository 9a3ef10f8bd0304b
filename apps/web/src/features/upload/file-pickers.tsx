import { type ChangeEvent, useRef } from 'react';

interface FilePickersProps {
  onFiles: (files: File[]) => void;
}

/** Two file inputs that are not seen, and the ways to open them. */
export function useFilePickers({ onFiles }: FilePickersProps) {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const onChange = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const chosen = [...(target.files ?? [])];
    // The same file can be chosen again.
    target.value = '';
    if (chosen.length > 0) onFiles(chosen);
  };
  const inputs = (
    <>
      <input ref={files} type="file" multiple hidden tabIndex={-1} aria-label="Choose files" onChange={onChange} />
      <input
        ref={folder}
        type="file"
        hidden
        tabIndex={-1}
        aria-label="Choose a folder"
        onChange={onChange}
        {...{ webkitdirectory: '' }}
      />
    </>
  );
  return { inputs, pickFiles: () => files.current?.click(), pickFolder: () => folder.current?.click() };
}
