import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { CheckCheck, Download, Pencil, Trash2, X } from 'lucide-react';
import type { FileItem } from '../../../engine/files/file-model.ts';
import { bytes } from '../../../lib/figures/format.ts';
import { Button, IconButton } from '../../../ui/base/button.tsx';

interface SelectionBarProps {
  /** The selected files. */
  files: readonly FileItem[];
  /** Number of selectable files. */
  shownCount: number;
  onClear: () => void;
  onSelectAll: () => void;
  /** Null when none of the files can be opened here; "busy" while a zip is being saved. */
  onDownload: (() => void) | 'busy' | null;
  /** Opens the rename dialog; null unless one entry is selected, and for everyone but the owner. */
  onRename: (() => void) | null;
  /** Opens a confirmation; null for everyone but the owner. */
  onDelete: (() => void) | null;
}

/** Actions for the selected files. Replaces the toolbar, and stays in view. */
export function SelectionBar(props: SelectionBarProps) {
  const { files, shownCount, onClear, onSelectAll, onDownload, onRename, onDelete } = props;
  const { t } = useLingui();
  const size = bytes(files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
  return (
    // biome-ignore lint/a11y/useSemanticElements: actions on files are no form fields
    <div role="group" aria-label={t`Selection`} className="flex min-h-10 items-center gap-2">
      <IconButton size="sm" label={t`Clear`} onClick={onClear}>
        <X size={17} aria-hidden />
      </IconButton>
      <p className="min-w-0 flex-1 truncate text-xs tabular">
        <b className="font-medium">
          <Plural value={files.length} one="# selected" other="# selected" />
        </b>{' '}
        <span className="text-subtle max-sm:hidden">{size}</span>
      </p>
      {files.length < shownCount && (
        <Button size="sm" tone="ghost" onClick={onSelectAll} className="max-sm:w-8 max-sm:px-0">
          <CheckCheck size={16} aria-hidden />
          <span className="max-sm:sr-only">
            <Trans>Select all</Trans>
          </span>
        </Button>
      )}
      {onDownload !== null && (
        <Button
          size="sm"
          data-zip-start
          className="max-sm:w-8 max-sm:px-0"
          aria-disabled={onDownload === 'busy' || undefined}
          onClick={() => {
            if (onDownload !== 'busy') onDownload();
          }}
        >
          <Download size={15} aria-hidden />
          <span className="max-sm:sr-only">
            <Trans>Download</Trans>
          </span>
        </Button>
      )}
      {onRename && (
        <Button size="sm" onClick={onRename} className="max-sm:w-8 max-sm:px-0">
          <Pencil size={15} aria-hidden />
          <span className="max-sm:sr-only">
            <Trans>Rename</Trans>
          </span>
        </Button>
      )}
      {onDelete && (
        <Button size="sm" tone="dangerSoft" onClick={onDelete} className="max-sm:w-8 max-sm:px-0">
          <Trash2 size={15} aria-hidden />
          <span className="max-sm:sr-only">
            <Trans>Delete</Trans>
          </span>
        </Button>
      )}
    </div>
  );
}
