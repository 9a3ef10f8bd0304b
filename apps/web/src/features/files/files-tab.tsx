import { Trans } from '@lingui/react/macro';
import { AppError } from '@satchel/contract/errors';
import { type ReactNode, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { canOpen, canSelect, countForeign, type FileItem } from '../../engine/files/file-model.ts';
import { zipStore } from '../../engine/zip/zip-store.ts';
import { cx } from '../../lib/base/class-names.ts';
import { useStore } from '../../lib/base/page-hooks.ts';
import { errorText } from '../../lib/texts/error-text.ts';
import { lazyPart } from '../../lib/texts/lazy-part.ts';
import { Dots } from '../../ui/base/button.tsx';
import { LoadFailed } from '../../ui/states/banner.tsx';
import { type SelectHandlers, useSelection } from './actions/use-selection.ts';
import { FilesToolbar } from './files-toolbar.tsx';
import { focusGrid } from './grid/card-focus.ts';
import type { CardHandlers } from './grid/file-card.tsx';
import { FileGrid } from './grid/file-grid.tsx';
import type { FileView } from './use-file-view.ts';

const ForeignNotice = lazyPart(() => import('./foreign-notice.tsx'), 'ForeignNotice', 'later');
const SelectionBar = lazyPart(() => import('./actions/selection-bar.tsx'), 'SelectionBar', 'folder');
const DeleteFilesDialog = lazyPart(() => import('./actions/delete-files-dialog.tsx'), 'DeleteFilesDialog', 'later');

interface FilesTabProps extends Omit<CardHandlers, 'onAskRemove' | keyof SelectHandlers> {
  files: readonly FileItem[];
  view: FileView;
  loading: boolean;
  error: AppError | null;
  onReload: () => void;
  /** Saves files as one zip. */
  onDownloadZip: (ids: readonly string[]) => void;
  /** The most stored bytes that one zip can hold here; null for no limit. */
  zipLimitBytes: number | null;
  /** Deletes files, and resolves to the deleted ones; null for everyone but the owner. */
  onRemove: ((ids: readonly string[]) => Promise<readonly string[]>) | null;
  /** Shown when there are no files. */
  empty: ReactNode;
}

const Loading = () => (
  <div className="grid justify-items-center gap-3 py-16 text-muted">
    <p className="text-sm">
      <Trans>Loading files...</Trans>
    </p>
    <Dots label="" />
  </div>
);

/** Whether these files fit into one zip. The zip skips files that can't be opened, and states their number. */
function packing(files: readonly FileItem[], limitBytes: number | null) {
  const packable = files.filter(canOpen);
  const storedBytes = packable.reduce((sum, { entry }) => sum + entry.metadata.size, 0);
  const isTooLarge = limitBytes !== null && storedBytes > limitBytes;
  return { ids: files.map(({ id }) => id), isEmpty: packable.length === 0, isTooLarge };
}

interface BarProps extends FilesTabProps {
  selectable: readonly FileItem[];
  selected: readonly FileItem[];
  select: SelectHandlers;
  onDelete: () => void;
}

/** Toolbar or selection bar, at the same height, so that nothing jumps. */
function Bar(props: BarProps) {
  const { files, view, selectable, selected, select, zipLimitBytes, onDownload, onDownloadZip, onRemove, onDelete } =
    props;
  const { shown } = view;
  const isBusy = useStore(zipStore)?.status === 'packing';
  const isSelecting = selected.length > 0;
  const { ids, isEmpty, isTooLarge } = packing(isSelecting ? selected : shown, zipLimitBytes);
  const [only] = ids;
  const isOne = isSelecting && ids.length === 1 && only !== undefined;
  const download = () => (isOne ? onDownload(only) : onDownloadZip(ids));
  const canPack = !isEmpty && (isOne || !isTooLarge);
  const onPack = canPack ? (isBusy && !isOne ? 'busy' : download) : null;
  return (
    <div className={cx('-mx-2 mb-2 px-2 py-1', isSelecting && 'sticky top-14 z-20 rounded-control bg-canvas')}>
      {isSelecting ? (
        <Suspense fallback={<div className="min-h-10" />}>
          <SelectionBar
            files={selected}
            shownCount={selectable.length}
            onClear={() => {
              select.onClearSelection();
              focusGrid();
            }}
            onSelectAll={select.onSelectAll}
            onDownload={onPack}
            onDelete={onRemove && onDelete}
          />
        </Suspense>
      ) : (
        <FilesToolbar files={files} view={view} onDownloadAll={shown.length > 1 ? onPack : null} />
      )}
      {isTooLarge && !isOne && zipLimitBytes !== null && (
        <p className="mt-1.5 text-xs text-warning">
          {errorText(new AppError('download.zip_too_large_here', { maxBytes: zipLimitBytes }))}
        </p>
      )}
    </div>
  );
}

/** The grid, and the actions on its files. */
function Files(props: FilesTabProps) {
  const { onView, onDownload, onRetry, onInView, onRemove } = props;
  const { shown } = props.view;
  const mayDelete = onRemove !== null;
  const selectable = useMemo(() => shown.filter((file) => canSelect(file, mayDelete)), [shown, mayDelete]);
  const { selected: selectedIds, handlers } = useSelection(selectable);
  const selected = useMemo(() => shown.filter(({ id }) => selectedIds.has(id)), [shown, selectedIds]);
  const foreignCount = countForeign(props.files);
  const [removing, setRemoving] = useState<readonly FileItem[]>([]);
  const latest = useRef({ shown, selected });
  useEffect(() => {
    latest.current = { shown, selected };
  });
  // An action on one selected file acts on the whole selection.
  const askRemove = useCallback((id: string) => {
    const now = latest.current;
    const isSelected = now.selected.some((file) => file.id === id);
    setRemoving(isSelected ? now.selected : now.shown.filter((file) => file.id === id));
  }, []);
  return (
    <>
      {foreignCount > 0 && (
        <Suspense>
          <ForeignNotice count={foreignCount} />
        </Suspense>
      )}
      <Bar
        {...props}
        selectable={selectable}
        selected={selected}
        select={handlers}
        onDelete={() => setRemoving(selected)}
      />
      {shown.length > 0 ? (
        <FileGrid
          files={shown}
          selected={selectedIds}
          {...{ onView, onDownload, onRetry, onInView }}
          {...handlers}
          onAskRemove={onRemove ? askRemove : null}
        />
      ) : (
        <p className="py-10 text-center text-sm text-muted">
          <Trans>No files of this kind are left.</Trans>
        </p>
      )}
      {removing.length > 0 && onRemove && (
        <Suspense>
          <DeleteFilesDialog files={removing} onClose={() => setRemoving([])} onRemove={onRemove} />
        </Suspense>
      )}
    </>
  );
}

/** The file area (§2 "Folder tab"). */
export function FilesTab(props: FilesTabProps) {
  const { files, loading, error, onReload, empty } = props;
  const message = error && errorText(error);
  const failed = message && (
    <LoadFailed onRetry={onReload}>
      <Trans>Error: {message}</Trans>
    </LoadFailed>
  );
  if (failed && files.length === 0) return failed;
  if (loading && files.length === 0) return <Loading />;
  if (files.length === 0) return empty;
  return (
    <div>
      {failed && <div className="mb-4">{failed}</div>}
      <Files {...props} />
    </div>
  );
}
