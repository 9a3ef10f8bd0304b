import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { extensionOf } from '@satchel/contract/naming';
import { ArrowDown, ArrowUp, Download, FileQuestionMark, Folder, Pencil, RotateCw, Trash2 } from 'lucide-react';
import { type MouseEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { canOpen, canRename, canSelect, type FileBadge, type FileItem } from '../../../engine/files/file-model.ts';
import { cx } from '../../../lib/base/class-names.ts';
import { bytes, localDayTime } from '../../../lib/figures/format.ts';
import { errorText } from '../../../lib/texts/error-text.ts';
import { IconButton } from '../../../ui/base/button.tsx';
import { CutName } from '../../../ui/cut-name.tsx';
import { FileIcon } from '../../../ui/file-icon.tsx';
import { KeyBadge, KeyMark } from '../../../ui/states/badge.tsx';
import type { DirectoryItem } from '../directories/directory-view.ts';
import type { Sort } from '../file-order.ts';
import { isViewable, offersRetry, phaseText } from '../grid/card-model.ts';
import { type CardHandlers, clickMeaning } from '../grid/file-card.tsx';
import { type FileGridProps, gridKeys, keepSpace, useFocusCard, useTabStop } from '../grid/file-grid.tsx';
import { useWindowRows } from '../grid/window-rows.ts';
import type { FileView, FolderEntry } from '../use-file-view.ts';

/** The file area as a table: names whole, one line each; nothing is opened for its picture. */

const ROW_PX = 48;
const PAGE_ROWS = 12;
/** Select, name, type, size, time, actions; a phone has name, size and actions. */
const COLUMNS =
  'grid h-12 grid-cols-[2.5rem_minmax(0,1fr)_5rem_2.75rem] items-center sm:grid-cols-[2.5rem_minmax(0,1fr)_6rem_6rem_9rem_6.5rem]';
const WIDE = 'max-sm:hidden';

const HEADS: readonly (readonly [Sort, MessageDescriptor, string])[] = [
  ['Name', msg`Name`, ''],
  ['Type', msg`Type`, WIDE],
  ['Size', msg`Size`, ''],
  ['Added', msg`Added`, WIDE],
];

type Order = Pick<FileView, 'sort' | 'isReversed' | 'onSort'>;

/** By size the largest comes first: then the column falls. */
const falls = ({ sort, isReversed }: Order): boolean => (sort === 'Size') !== isReversed;

function Heads(order: Order) {
  const { t } = useLingui();
  const { sort, onSort } = order;
  const Arrow = falls(order) ? ArrowDown : ArrowUp;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a virtualised table is made of boxes
    // biome-ignore lint/a11y/useFocusableInteractive: its buttons take the focus
    <div role="row" aria-rowindex={1} className={cx(COLUMNS, 'border-line border-b text-xs text-muted')}>
      {/* biome-ignore lint/a11y/useSemanticElements: see the row */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: see the row */}
      <span role="columnheader" className="sr-only">
        <Trans>Selected</Trans>
      </span>
      <span aria-hidden="true" />
      {HEADS.map(([name, text, className]) => (
        // biome-ignore lint/a11y/useSemanticElements: see the row
        // biome-ignore lint/a11y/useFocusableInteractive: see the row
        <span
          key={name}
          role="columnheader"
          aria-sort={sort === name ? (falls(order) ? 'descending' : 'ascending') : 'none'}
          className={className}
        >
          <button
            type="button"
            onClick={() => onSort(name)}
            className="inline-flex h-10 items-center gap-1 rounded-chip pr-1 font-medium hover:text-ink"
          >
            {t(text)}
            {sort === name && <Arrow size={13} aria-hidden />}
          </button>
        </span>
      ))}
      {/* biome-ignore lint/a11y/useSemanticElements: see the row */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: see the row */}
      <span role="columnheader" className="sr-only">
        <Trans>Actions</Trans>
      </span>
    </div>
  );
}

function Cell({ className, children }: { className?: string; children?: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the row of heads
    // biome-ignore lint/a11y/useFocusableInteractive: see the row of heads
    <div role="gridcell" className={className}>
      {children}
    </div>
  );
}

const NameIcon = ({ entry }: { entry: FolderEntry }) => {
  if (entry.kind === 'directory')
    return <Folder size={18} strokeWidth={1.75} aria-hidden className="text-accent-text" />;
  if (entry.badge === 'foreign') return <FileQuestionMark size={18} strokeWidth={1.75} aria-hidden />;
  return <FileIcon kind={entry.kind} sizePx={18} />;
};

/** What is going on with a file, or what it is. */
function FileState({ file }: { file: FileItem }) {
  if (file.error) return <span className="text-danger">{errorText(file.error)}</span>;
  if (file.badge === 'foreign') return <Trans>Not from this folder</Trans>;
  if (file.phase !== 'none') return <span className="text-info">{phaseText(file.phase, file.percent)}</span>;
  return null;
}

/** Whether the file is open, is fetched first, or can't be opened here; nothing in a plain folder. */
function KeyState({ id, badge }: { id: string; badge: FileBadge | null }) {
  if (badge === 'none') return <KeyBadge state="none" className="shrink-0" />;
  if (badge !== 'api' && badge !== 'cached') return null;
  return (
    <span id={id} className="mr-2 shrink-0 sm:mr-3">
      <KeyMark state={badge} />
    </span>
  );
}

const isBusy = (entry: FolderEntry): boolean => entry.kind !== 'directory' && entry.phase !== 'none';

const typeOf = (entry: FileItem): string => extensionOf(entry.name).toUpperCase();

function DirectorySize({ directory: { files } }: { directory: DirectoryItem }) {
  return <Plural value={files.length} one="# file" other="# files" />;
}

interface RowProps extends CardHandlers {
  entry: FolderEntry;
  index: number;
  active: boolean;
  selected: boolean;
  selecting: boolean;
  onFocus: (id: string) => void;
}

type ActionsProps = Pick<RowProps, 'entry' | 'active' | 'onDownload' | 'onRetry' | 'onAskRemove' | 'onAskRename'> & {
  nameId: string;
};

function Actions({ entry, active, nameId, onDownload, onRetry, onAskRemove, onAskRename }: ActionsProps) {
  const { t } = useLingui();
  const { id } = entry;
  const retries = entry.kind !== 'directory' && offersRetry(entry);
  const tab = { tabIndex: active ? 0 : -1, 'aria-describedby': nameId, size: 'sm' } as const;
  const hidden =
    'max-sm:hidden opacity-0 focus-visible:opacity-100 group-focus-within/row:opacity-100 group-hover/row:opacity-100 pointer-coarse:opacity-100';
  return (
    <Cell className="flex items-center justify-end">
      {onAskRename && canRename(entry) && (
        <IconButton {...tab} label={t`Rename`} onClick={() => onAskRename(id)} className={hidden}>
          <Pencil size={15} aria-hidden />
        </IconButton>
      )}
      {onAskRemove && (
        <IconButton {...tab} label={t`Delete`} onClick={() => onAskRemove(id)} className={hidden}>
          <Trash2 size={15} aria-hidden />
        </IconButton>
      )}
      {entry.badge !== 'foreign' && (
        <IconButton
          {...tab}
          size="md"
          label={retries ? t`Retry` : t`Download`}
          disabled={(isBusy(entry) && !retries) || !canOpen(entry)}
          onClick={() => (retries ? onRetry : onDownload)(id)}
        >
          {retries ? <RotateCw size={16} aria-hidden /> : <Download size={16} aria-hidden />}
        </IconButton>
      )}
    </Cell>
  );
}

function Row({ entry, index, active, selected, selecting, onFocus, ...acts }: RowProps) {
  const { t } = useLingui();
  const { id, name } = entry;
  const { onView, onSelect, onAskRemove } = acts;
  const nameId = useId();
  const isDirectory = entry.kind === 'directory';
  const views = isDirectory || isViewable(entry);
  const act = (event: MouseEvent) => {
    const meaning = clickMeaning(event, selecting);
    if (meaning !== 'act') onSelect(id, { range: meaning === 'range' });
    else if (views) onView(id);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the row of heads
    // biome-ignore lint/a11y/useFocusableInteractive: see the row of heads
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={canSelect(entry, onAskRemove !== null) ? selected : undefined}
      className={cx(
        COLUMNS,
        'group/row absolute inset-x-0 top-0 border-line border-b text-sm hover:bg-raised',
        selected && 'bg-accent-soft',
      )}
      style={{ transform: `translateY(${index * ROW_PX}px)` }}
    >
      <Cell className="grid h-full place-items-center">
        {canSelect(entry, onAskRemove !== null) && (
          <label className="grid size-10 cursor-pointer place-items-center">
            <input
              type="checkbox"
              tabIndex={-1}
              aria-label={t`Select ${name}`}
              checked={selected}
              onChange={() => onSelect(id)}
              className="size-4 accent-accent"
            />
          </label>
        )}
      </Cell>
      <Cell className="flex h-full min-w-0 items-center gap-2.5">
        <span className="shrink-0 text-muted">
          <NameIcon entry={entry} />
        </span>
        <button
          type="button"
          data-main
          data-file={id}
          id={nameId}
          tabIndex={active ? 0 : -1}
          aria-label={isDirectory ? t`Folder ${name}` : name}
          aria-describedby={`${nameId}-s ${nameId}-k`}
          aria-disabled={!views || undefined}
          title={name}
          onFocus={() => onFocus(id)}
          onClick={act}
          className={cx('h-10 min-w-0 flex-1 rounded-chip text-left', !views && 'cursor-default')}
        >
          <span className="block pr-2 font-medium">
            <CutName name={name} />
          </span>
          <span id={`${nameId}-s`} className="block truncate text-xs text-muted empty:hidden">
            {isDirectory ? null : <FileState file={entry} />}
          </span>
        </button>
        {!isDirectory && <KeyState id={`${nameId}-k`} badge={entry.badge} />}
      </Cell>
      <Cell className={cx(WIDE, 'truncate text-xs text-muted')}>
        {isDirectory ? <Trans>Folder</Trans> : entry.badge === 'foreign' ? null : typeOf(entry)}
      </Cell>
      <Cell className="truncate text-xs text-muted tabular">{bytes(entry.sizeBytes)}</Cell>
      <Cell className={cx(WIDE, 'truncate text-xs text-muted tabular')}>
        {isDirectory ? <DirectorySize directory={entry} /> : localDayTime(entry.entry.created_at)}
      </Cell>
      <Actions entry={entry} active={active} nameId={nameId} {...acts} />
    </div>
  );
}

interface FileListProps extends FileGridProps {
  order: Order;
}

/** Virtualised table (APG "grid"): the same keys as the grid of cards, in one column. */
export function FileList({ files, selected, startAt, startsFocused, onStarted, order, ...handlers }: FileListProps) {
  const { t } = useLingui();
  const box = useRef<HTMLDivElement>(null);
  const [active, setActiveId] = useTabStop(files, startAt);
  const { indexes, scrollToRow } = useWindowRows({ rows: files.length, rowHeightPx: ROW_PX, activeRow: active, box });
  const wanted = useFocusCard(box, startsFocused ? files[active]?.id : undefined);
  useEffect(onStarted, [onStarted]);
  const onMove = (index: number, id: string) => {
    wanted.current = id;
    setActiveId(id);
    scrollToRow(index);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a virtualised table is made of boxes
    <div
      role="grid"
      aria-label={t`Files`}
      aria-rowcount={files.length + 1}
      aria-multiselectable
      tabIndex={-1}
      onKeyUp={keepSpace}
      className="focus-visible:outline-none"
    >
      <Heads {...order} />
      {/* biome-ignore lint/a11y/useSemanticElements: see the grid */}
      <div
        ref={box}
        role="rowgroup"
        onKeyDown={gridKeys({ files, active, columns: 1, pageRows: PAGE_ROWS, handlers, onMove })}
        className="relative"
        style={{ height: files.length * ROW_PX }}
      >
        {indexes.map((index) => {
          const entry = files[index];
          return (
            entry && (
              <Row
                key={entry.id}
                entry={entry}
                index={index}
                active={index === active}
                selected={selected.has(entry.id)}
                selecting={selected.size > 0}
                onFocus={setActiveId}
                {...handlers}
              />
            )
          );
        })}
      </div>
    </div>
  );
}
