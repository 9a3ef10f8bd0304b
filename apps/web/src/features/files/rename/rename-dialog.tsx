import { t as say } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { fitsLabel } from '@satchel/contract/files/file-path';
import { directoryBelow, isWithin, joinPath, pathKey, splitPath } from '@satchel/contract/files/path-parts';
import { dropUnseen } from '@satchel/contract/unseen';
import { type FormEvent, useState } from 'react';
import type { FileItem } from '../../../engine/files/file-model.ts';
import { announce } from '../../../lib/base/announce.ts';
import { Button } from '../../../ui/base/button.tsx';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { TextField } from '../../../ui/forms/field.tsx';
import { Failure } from '../../../ui/sections/failure.tsx';
import { useAct } from '../../../ui/sections/use-act.ts';
import type { FolderEntry } from '../use-file-view.ts';
import type { Renaming } from './rename-files.ts';

interface RenameDialogProps {
  entry: FolderEntry;
  /** All files of the folder, whose names the new one must not meet. */
  files: readonly FileItem[];
  onClose: () => void;
  /** Resolves to why some files don't have their new names. */
  onRename: (renamings: readonly Renaming[]) => Promise<string | null>;
}

const directoryOf = (entry: FolderEntry): string =>
  entry.kind === 'directory' ? splitPath(entry.path).directory : entry.directory;

/** The files of an entry with their new names: a directory's files move to the directory of the new name. */
function renamingsOf(entry: FolderEntry, name: string): Renaming[] {
  if (entry.kind !== 'directory') return [{ file: entry, name, directory: entry.directory }];
  const to = joinPath(directoryOf(entry), name);
  return entry.files.map((file) => ({
    file,
    name: file.name,
    directory: joinPath(to, directoryBelow(file.directory, entry.path)),
  }));
}

/** Why a name can't be taken; null when it can. */
function faultOf(entry: FolderEntry, name: string, files: readonly FileItem[]): string | null {
  if (name === '') return say`Give it a name.`;
  if (/[/\\]/.test(name) || /^\.+$/.test(name)) return say`A name can’t contain a slash or be only dots.`;
  if (!renamingsOf(entry, name).every((one) => fitsLabel(joinPath(one.directory, one.name)))) {
    return say`This name is too long. Choose a shorter one.`;
  }
  const path = joinPath(directoryOf(entry), name);
  const own = new Set(entry.kind === 'directory' ? entry.files : [entry]);
  const isTaken = files.some(
    (file) =>
      !own.has(file) &&
      (pathKey(joinPath(file.directory, file.name)) === pathKey(path) ||
        isWithin(pathKey(file.directory), pathKey(path))),
  );
  return isTaken ? say`Another file or folder here has this name. Choose another name.` : null;
}

/**
 * Takes the focus before the dialog gives it to its first button, and selects the name without its extension, as file
 * managers do.
 */
function startIn(field: HTMLInputElement | null): void {
  if (!field) return;
  field.focus();
  const dot = field.value.lastIndexOf('.');
  field.setSelectionRange(0, dot > 0 ? dot : field.value.length);
}

/** Gives a file or a directory another name. */
export function RenameDialog({ entry, files, onClose, onRename }: RenameDialogProps) {
  const { t } = useLingui();
  const [value, setValue] = useState(entry.name);
  const [isTried, setTried] = useState(false);
  const { busy, failure, run } = useAct();
  const name = dropUnseen(value).trim();
  const fault = faultOf(entry, name, files);
  const rename = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    setTried(true);
    if (fault !== null) return announce(fault, true);
    if (name === entry.name) return onClose();
    if (!(await run(() => onRename(renamingsOf(entry, name))))) return;
    announce(t`Renamed to ${name}`);
    onClose();
  };
  return (
    <Dialog onClose={onClose} title={entry.kind === 'directory' ? t`Rename folder` : t`Rename file`}>
      <form onSubmit={rename} className="grid gap-5">
        <TextField
          ref={startIn}
          label={t`Name`}
          value={value}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setValue(event.target.value)}
          error={isTried ? (fault ?? undefined) : undefined}
        />
        <Failure text={failure} notDone={<Trans>Not renamed:</Trans>} />
        <div className="flex flex-col-reverse gap-2.5 sm:flex-row sm:justify-end">
          <Button size="lg" onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" size="lg" tone="primary" busy={busy} aria-disabled={busy}>
            {busy ? <Trans>Renaming...</Trans> : <Trans>Rename</Trans>}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
