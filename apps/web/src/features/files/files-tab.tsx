import { Trans } from '@lingui/react/macro';
import { AppError } from '@satchel/contract/errors';
import { CircleAlert } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { cx } from '../../lib/class-names.ts';
import { errorText } from '../../lib/error-text.ts';
import { useStore } from '../../lib/external-store.ts';
import { importWithTexts } from '../../lib/import-with-texts.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button, Dots } from '../../ui/button.tsx';
import { focusGrid } from './card-focus.ts';
import type { CardHandlers } from './file-card.tsx';
import { FileGrid } from './file-grid.tsx';
import { canOpen, canSelect, countForeign, type FileItem } from './file-model.ts';
import { FilesToolbar } from './files-toolbar.tsx';
import type { FileView } from './use-file-view.ts';
import { type SelectHandlers, useSelection } from './use-selection.ts';
import { zipStore } from './zip-store.ts';

const ForeignNotice = lazy(async () => {
  const { ForeignNotice } = await importWithTexts('later', () => import('./foreign-notice.tsx'));
  return { default: ForeignNotice };
});
const SelectionBar = lazy(async () => {
  const { SelectionBar } = await importWithTexts('folder', () => import('./selection-bar.tsx'));
  return { default: SelectionBar };
});
const DeleteFilesDialog = lazy(async () => {
  const { DeleteFilesDialog } = await importWithTexts('later', () => import('./delete-files-dialog.tsx'));
  return { default: DeleteFilesDialog };
});

interface FilesTabProps extends Omit<CardHandlers, 'onAskRemove' | keyof SelectHandlers> {
  files: readonly FileItem[];
  view: FileView;
  loading: boolean;
  error: AppError | null;
  onReload: () => void;
  /** Saves files as one zip. */
  onDownloadZip: (ids: readonly string[]) => void;
  /** The most stored bytes that go into one zip here; null for no limit. */
  zipLimitBytes: number | null;
  /** Removes files for good, and resolves to those that are gone; null for everyone but the owner. */
  onRemove: ((ids: readonly string[]) => Promise<readonly string[]>) | null;
  /** What stands here when there are no files. */
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

function LoadError({ error, onReload }: { error: AppError; onReload: () => void }) {
  const message = errorText(error);
  return (
    <div role="alert">
      <Banner
        tone="danger"
        icon={<CircleAlert size={18} aria-hidden className="text-danger" />}
        action={
          <Button onClick={onReload}>
            <Trans>Try Again</Trans>
          </Button>
        }
      >
        <Trans>Error: {message}</Trans>
      </Banner>
    </div>
  );
}

/** What can be packed, and what is in the way of it. Who packs leaves out the others, and says how many. */
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

/** Toolbar, or what can be done with the selection; both as one bar, so that nothing jumps. */
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

/** Files and all that is done with them. */
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
  // Of a selected file the whole selection is meant.
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
          <DeleteFilesDialog
            files={removing}
            open
            onOpenChange={(open) => !open && setRemoving([])}
            onRemove={onRemove}
            onDone={() => setRemoving([])}
          />
        </Suspense>
      )}
    </>
  );
}

/** The file area (§2 "Folder tab"). */
export function FilesTab(props: FilesTabProps) {
  const { files, loading, error, onReload, empty } = props;
  if (error && files.length === 0) return <LoadError error={error} onReload={onReload} />;
  if (loading && files.length === 0) return <Loading />;
  if (files.length === 0) return empty;
  return (
    <div>
      {error && (
        <div className="mb-4">
          <LoadError error={error} onReload={onReload} />
        </div>
      )}
      <Files {...props} />
    </div>
  );
}
