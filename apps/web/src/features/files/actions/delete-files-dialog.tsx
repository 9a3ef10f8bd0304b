import { plural } from '@lingui/core/macro';
import { Plural, Trans, useLingui } from '@lingui/react/macro';
import type { FileItem } from '../../../engine/files/file-model.ts';
import { announce } from '../../../lib/base/announce.ts';
import { bytes } from '../../../lib/figures/format.ts';
import { ConfirmDialog } from '../../../ui/dialogs/dialog.tsx';
import { cardOf, tabStopCard } from '../grid/card-focus.ts';

interface DeleteFilesDialogProps {
  /** At least one. */
  files: readonly FileItem[];
  onClose: () => void;
  /** Resolves to the deleted files. */
  onRemove: (ids: readonly string[]) => Promise<readonly string[]>;
  /** Called when at least one file was deleted. */
  onDone?: () => void;
}

/** The dialog lists this many names and counts the others. */
const NAMES_SHOWN = 5;

function OneFile({ file }: { file: FileItem }) {
  const { name } = file;
  return (
    <p>
      <Trans>
        <b className="font-medium text-ink wrap-anywhere">{name}</b> is removed for everyone who has the link. It can’t
        be brought back.
      </Trans>
    </p>
  );
}

function ManyFiles({ files }: { files: readonly FileItem[] }) {
  const named = files.slice(0, NAMES_SHOWN);
  const others = files.length - named.length;
  const size = bytes(files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
  return (
    <>
      <p>
        {plural(files.length, {
          one: `# file (${size}) is removed for everyone who has the link. It can’t be brought back.`,
          other: `# files (${size}) are removed for everyone who has the link. They can’t be brought back.`,
        })}
      </p>
      <ul className="mt-3 grid gap-1">
        {named.map(({ id, name }) => (
          <li key={id} className="truncate font-medium text-ink">
            {name}
          </li>
        ))}
        {others > 0 && (
          <li>
            <Plural value={others} one="and # other" other="and # others" />
          </li>
        )}
      </ul>
    </>
  );
}

/** Confirms the deletion of files, and announces the result. */
export function DeleteFilesDialog({ files, onClose, onRemove, onDone }: DeleteFilesDialogProps) {
  const { t } = useLingui();
  const [first] = files;
  const isOne = files.length === 1;
  const remove = async () => {
    const gone = await onRemove(files.map(({ id }) => id));
    if (gone.length === 0) return;
    const name = first?.name ?? '';
    announce(isOne ? t`${name} deleted` : plural(gone.length, { one: '# file deleted', other: '# files deleted' }));
    onDone?.();
  };
  const title = isOne
    ? t`Delete this file?`
    : plural(files.length, { one: 'Delete # file?', other: 'Delete # files?' });
  return (
    <ConfirmDialog
      // The button that opened the dialog disappears with its card.
      returnFocus={() => (isOne && first && cardOf(first.id) ? undefined : tabStopCard())}
      title={title}
      description={isOne && first ? <OneFile file={first} /> : <ManyFiles files={files} />}
      yes={
        isOne ? t`Yes, Delete File` : plural(files.length, { one: 'Yes, Delete # File', other: 'Yes, Delete # Files' })
      }
      doing={t`Deleting...`}
      onClose={onClose}
      onConfirm={remove}
    />
  );
}
