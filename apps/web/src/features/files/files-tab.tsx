import { Trans } from '@lingui/react/macro';
import { AppError } from '@satchel/contract/errors';
import { directoryBelow, isWithin, joinPath } from '@satchel/contract/files/path-parts';
import { type ReactNode, Suspense, useCallback, useMemo, useState } from 'react';
import { canRename, canSelect, countForeign, directoryId, type FileItem } from '../../engine/files/file-model.ts';
import { zipStore } from '../../engine/zip/zip-store.ts';
import { cx } from '../../lib/base/class-names.ts';
import { useStore } from '../../lib/base/page-hooks.ts';
import { useLatest } from '../../lib/browser/hooks.ts';
import { errorText } from '../../lib/texts/error-text.ts';
import { lazyPart } from '../../lib/texts/lazy-part.ts';
import { Dots } from '../../ui/base/button.tsx';
import { LoadFailed } from '../../ui/states/banner.tsx';
import { type SelectHandlers, useSelection } from './actions/use-selection.ts';
import { FilesToolbar } from './files-toolbar.tsx';
import { focusGrid } from './grid/card-focus.ts';
import type { CardHandlers } from './grid/file-card.tsx';
import { FileGrid, type FileGridProps } from './grid/file-grid.tsx';
import { packing } from './packing.ts';
import type { Renaming } from './rename/rename-files.ts';
import type { FileView, FolderEntry } from './use-file-view.ts';

const ForeignNotice = lazyPart(() => import('./foreign-notice.tsx'), 'ForeignNotice', 'later');
const SelectionBar = lazyPart(() => import('./actions/selection-bar.tsx'), 'SelectionBar', 'folder');
const PathBar = lazyPart(() => import('./directories/directory-card.tsx'), 'PathBar', 'later');
const SearchField = lazyPart(() => import('./list/search-field.tsx'), 'SearchField', 'later');
const FileList = lazyPart(() => import('./list/file-list.tsx'), 'FileList', 'later');
const RenameDialog = lazyPart(() => import('./rename/rename-dialog.tsx'), 'RenameDialog', 'later');
const DeleteFilesDialog = lazyPart(() => import('./actions/delete-files-dialog.tsx'), 'DeleteFilesDialog', 'later');

interface FilesTabProps extends Omit<CardHandlers, 'onAskRemove' | 'onAskRename' | keyof SelectHandlers> {
  files: readonly FileItem[];
  view: FileView | null;
  loading: boolean;
  error: AppError | null;
  onReload: () => void;
  /** Saves files as one zip, of a directory. */
  onDownloadZip: (ids: readonly string[], directory: string) => void;
  /** The most stored bytes that one zip can hold here; null for no limit. */
  zipLimitBytes: number | null;
  /** Deletes files, and resolves to the deleted ones; null for everyone but the owner. */
  onRemove: ((ids: readonly string[]) => Promise<readonly string[]>) | null;
  /** Gives files new names; null for everyone but the owner. */
  onRename: ((renamings: readonly Renaming[]) => Promise<string | null>) | null;
  /** Shown when there are no files. */
  empty: ReactNode;
  /** The page's header saves all files already. */
  savesAllAbove: boolean;
}

const Loading = () => (
  <div className="grid justify-items-center gap-3 py-16 text-muted">
    <p className="text-sm">
      <Trans>Loading files...</Trans>
    </p>
    <Dots label="" />
  </div>
);

interface ViewedProps extends FilesTabProps {
  view: FileView;
}

interface BarProps extends ViewedProps {
  selectable: readonly FolderEntry[];
  /** The selected entries' files. */
  selected: readonly FileItem[];
  select: SelectHandlers;
  onDelete: () => void;
  onAskRename: (() => void) | null;
  isSearching: boolean;
  onSearch: () => void;
}

/** Toolbar or selection bar, at the same height, so that nothing jumps. */
function Bar(props: BarProps) {
  const { files, view, selectable, selected, select, zipLimitBytes, onDownload, onDownloadZip, onRemove, onDelete } =
    props;
  const isBusy = useStore(zipStore)?.status === 'packing';
  const isSelecting = selected.length > 0;
  const all = view.hasDirectories ? view.matching : view.shown;
  const { ids, isEmpty, isTooLarge } = packing(isSelecting ? selected : all, zipLimitBytes);
  const [only] = ids;
  const isOne = isSelecting && ids.length === 1 && only !== undefined;
  const download = () => (isOne ? onDownload(only) : onDownloadZip(ids, view.directory));
  const canPack = !isEmpty && (isOne || !isTooLarge);
  const onPack = canPack ? (isBusy && !isOne ? 'busy' : download) : null;
  return (
    <div className={cx('-mx-2 mb-2 px-2 py-1', isSelecting && 'sticky top-14 z-20 rounded-control bg-canvas')}>
      {isSelecting ? (
        <Suspense fallback={<div className="min-h-10" />}>
          <SelectionBar
            files={selected}
            shownCount={filesOf(selectable).length}
            onClear={() => {
              select.onClearSelection();
              focusGrid();
            }}
            onSelectAll={select.onSelectAll}
            onDownload={onPack}
            onRename={props.onAskRename}
            onDelete={onRemove && onDelete}
          />
        </Suspense>
      ) : (
        <FilesToolbar
          files={files}
          view={view}
          onDownloadAll={all.length > 1 && !(props.savesAllAbove && all.length === files.length) ? onPack : null}
          isSearching={props.isSearching}
          onSearch={props.onSearch}
        />
      )}
      {isTooLarge && !isOne && zipLimitBytes !== null && (
        <p className="mt-1.5 text-xs text-warning">
          {errorText(new AppError('download.zip_too_large_here', { maxBytes: zipLimitBytes }))}
        </p>
      )}
    </div>
  );
}

/** The files of entries: a directory's are all that lie in it and below it. */
const filesOf = (entries: readonly FolderEntry[]): readonly FileItem[] =>
  entries.some(({ kind }) => kind === 'directory')
    ? [...new Set(entries.flatMap((entry) => (entry.kind === 'directory' ? entry.files : [entry])))]
    : (entries as readonly FileItem[]);

/** Opening and saving for files and directories alike. The functions keep their identity. */
function useEntryActs({ view, onView, onDownload, onDownloadZip }: ViewedProps) {
  const latest = useLatest({ view, onView, onDownload, onDownloadZip });
  return useMemo(() => {
    const directoryOf = (id: string) => {
      const entry = latest.current.view.entries.find((one) => one.id === id);
      return entry?.kind === 'directory' ? entry : null;
    };
    return {
      onView(id: string) {
        const directory = directoryOf(id);
        if (directory) latest.current.view.onDirectory(directory.path);
        else latest.current.onView(id);
      },
      onDownload(id: string) {
        const directory = directoryOf(id);
        if (directory) {
          const ids = directory.files.map((file) => file.id);
          latest.current.onDownloadZip(ids, directory.path);
        } else latest.current.onDownload(id);
      },
    };
  }, [latest]);
}

/**
 * Where the focus goes when another directory is shown: to the directory that was left, or else to the first entry. What
 * had the focus is gone with the entries before.
 */
function useDirectoryFocus(directory: string) {
  const [step, setStep] = useState({ from: directory, to: directory, isNew: false });
  if (step.to !== directory) setStep({ from: step.to, to: directory, isNew: true });
  const { from, isNew } = step;
  const onStarted = useCallback(() => setStep((before) => ({ ...before, isNew: false })), []);
  const isUp = from !== directory && isWithin(from, directory);
  const [below = ''] = directoryBelow(from, directory).split('/');
  const startAt = isUp ? directoryId(joinPath(directory, below)) : undefined;
  return { startAt, startsFocused: isNew, onStarted };
}

/** The files as cards, or as lines of a table. */
function Shown({ view, ...props }: FileGridProps & { view: FileView }) {
  const { isList, sort, isReversed, onSort } = view;
  return isList ? <FileList order={{ sort, isReversed, onSort }} {...props} /> : <FileGrid {...props} />;
}

/** The grid, and the actions on its files. */
function Files(props: ViewedProps) {
  const { view, onRetry, onInView, onRemove, onRename } = props;
  const { entries, directory } = view;
  const mayDelete = onRemove !== null;
  const selectable = useMemo(() => entries.filter((entry) => canSelect(entry, mayDelete)), [entries, mayDelete]);
  const { selected: selectedIds, handlers } = useSelection(selectable);
  const selectedEntries = useMemo(() => entries.filter(({ id }) => selectedIds.has(id)), [entries, selectedIds]);
  const selected = useMemo(() => filesOf(selectedEntries), [selectedEntries]);
  const foreignCount = countForeign(props.files);
  const [removing, setRemoving] = useState<readonly FileItem[]>([]);
  const latest = useLatest({ entries, selectedEntries });
  // An action on one selected entry acts on the whole selection.
  const askRemove = useCallback(
    (id: string) => {
      const now = latest.current;
      const isSelected = now.selectedEntries.some((entry) => entry.id === id);
      setRemoving(filesOf(isSelected ? now.selectedEntries : now.entries.filter((entry) => entry.id === id)));
    },
    [latest],
  );
  const [renaming, setRenaming] = useState<FolderEntry | null>(null);
  const askRename = useCallback(
    (id: string) => setRenaming(latest.current.entries.find((entry) => entry.id === id) ?? null),
    [latest],
  );
  const [one] = selectedEntries;
  const mayRename = onRename !== null && one !== undefined && selectedEntries.length === 1 && canRename(one);
  const acts = useEntryActs(props);
  const start = useDirectoryFocus(directory);
  const [isSearching, setSearching] = useState(view.query !== '');
  const endSearch = () => {
    view.onQuery('');
    setSearching(false);
    document.querySelector<HTMLElement>('[data-search]')?.focus();
  };
  // A second time, it leads back into the field.
  const onSearch = () => {
    setSearching(true);
    document.querySelector<HTMLElement>('[role=search] input')?.focus();
  };
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
        onAskRename={mayRename ? () => setRenaming(one) : null}
        isSearching={isSearching}
        onSearch={onSearch}
      />
      {isSearching && (
        <Suspense fallback={<div className="mb-3 h-10" />}>
          <SearchField query={view.query} found={entries.length} onQuery={view.onQuery} onClose={endSearch} />
        </Suspense>
      )}
      {directory !== '' && (
        <Suspense fallback={<div className="mb-1 min-h-10" />}>
          <PathBar directory={directory} onDirectory={view.onDirectory} />
        </Suspense>
      )}
      {entries.length > 0 ? (
        <Suspense fallback={<Loading />}>
          <Shown
            key={directory}
            view={view}
            {...start}
            files={entries}
            selected={selectedIds}
            onRetry={onRetry}
            onInView={onInView}
            {...acts}
            {...handlers}
            onAskRemove={onRemove ? askRemove : null}
            onAskRename={onRename ? askRename : null}
          />
        </Suspense>
      ) : (
        <p className="py-10 text-center text-sm text-muted">
          {view.query.trim() === '' ? (
            <Trans>There are no more files of this kind.</Trans>
          ) : (
            <Trans>No names match.</Trans>
          )}
        </p>
      )}
      {renaming && onRename && (
        <Suspense>
          <RenameDialog entry={renaming} files={props.files} onClose={() => setRenaming(null)} onRename={onRename} />
        </Suspense>
      )}
      {removing.length > 0 && onRemove && (
        <Suspense>
          <DeleteFilesDialog files={removing} onClose={() => setRemoving([])} onRemove={onRemove} />
        </Suspense>
      )}
    </>
  );
}

/** The file area. */
export function FilesTab(props: FilesTabProps) {
  const { files, view, loading, error, onReload, empty } = props;
  const message = error && errorText(error);
  const failed = message && (
    <LoadFailed onRetry={onReload}>
      <Trans>Error: {message}</Trans>
    </LoadFailed>
  );
  if (failed && files.length === 0) return failed;
  if (view === null || (loading && files.length === 0)) return <Loading />;
  if (files.length === 0) return empty;
  return (
    <div>
      {failed && <div className="mb-4">{failed}</div>}
      <Files {...props} view={view} />
    </div>
  );
}
