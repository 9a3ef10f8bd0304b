import { useLingui } from '@lingui/react/macro';
import { type KeyboardEvent, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { canOpen, canRename, canSelect } from '../../../engine/files/file-model.ts';
import { useFontReady, useWidth } from '../../../lib/browser/hooks.ts';
import { NAME_FONT } from '../../../lib/figures/measure-text.ts';
import { lazyPart } from '../../../lib/texts/lazy-part.ts';
import type { FolderEntry } from '../use-file-view.ts';
import { type CardHandlers, FileCard, type FileCardProps } from './file-card.tsx';
import { moveInGrid } from './grid-moves.ts';
import { useWindowRows } from './window-rows.ts';

const DirectoryCard = lazyPart(() => import('../directories/directory-card.tsx'), 'DirectoryCard', 'later');

const GAP_PX = 14;
const CARD_MIN_PX = 196;
const CARD_MIN_PHONE_PX = 160;
const PHONE_PX = 480;
/** Height below a card's picture. */
const CARD_FOOT_PX = 60;
/** Padding and Download button (as wide as a finger needs it) beside a name; more until the web font is loaded. */
const NAME_MARGIN_PX = 62;
const NAME_MARGIN_UNMEASURED_PX = 84;
const PAGE_ROWS = 3;

export interface FileGridProps extends CardHandlers {
  /** The entry that has the tab stop at first. */
  startAt: string | undefined;
  /** Whether that entry takes the focus. */
  startsFocused: boolean;
  onStarted: () => void;
  files: readonly FolderEntry[];
  selected: ReadonlySet<string>;
}

function gridShape(widthPx: number, count: number) {
  const cardMinPx = widthPx < PHONE_PX ? CARD_MIN_PHONE_PX : CARD_MIN_PX;
  const columns = Math.max(2, Math.floor((widthPx + GAP_PX) / cardMinPx));
  const cardWidthPx = (widthPx - GAP_PX * (columns - 1)) / columns;
  const rowHeightPx = Math.round((cardWidthPx * 3) / 4 + CARD_FOOT_PX) + GAP_PX;
  return { columns, rows: Math.ceil(count / columns), cardWidthPx, rowHeightPx };
}

/** The file that has the tab stop; when it is deleted, the next one takes over. */
export function useTabStop(files: readonly FolderEntry[], startAt: string | undefined) {
  const [stop, setStop] = useState<{ id: string | undefined; index: number }>({ id: startAt, index: 0 });
  const index = files.findIndex(({ id }) => id === stop.id);
  if (index >= 0 && index !== stop.index) setStop({ id: stop.id, index });
  const setId = useCallback((id: string) => setStop((before) => ({ ...before, id })), []);
  return [index >= 0 ? index : Math.min(stop.index, files.length - 1), setId] as const;
}

/** Focuses a card once it is on the page. */
export function useFocusCard(box: React.RefObject<HTMLDivElement | null>, first: string | undefined) {
  const wanted = useRef<string>(first);
  useEffect(() => {
    if (wanted.current === undefined) return;
    const card = box.current?.querySelector<HTMLElement>(`[data-file="${CSS.escape(wanted.current)}"]`);
    if (!card) return;
    card.focus({ preventScroll: true });
    wanted.current = undefined;
  });
  return wanted;
}

interface GridKeysInput {
  files: readonly FolderEntry[];
  active: number;
  columns: number;
  pageRows?: number;
  handlers: CardHandlers;
  onMove: (index: number, id: string) => void;
}

const isCard = ({ target }: KeyboardEvent): boolean => target instanceof HTMLElement && 'main' in target.dataset;

/** Actions of the file that has the tab stop, by key; null for other keys. */
function actOf(event: KeyboardEvent, file: FolderEntry, handlers: CardHandlers): (() => unknown) | null {
  const { key, shiftKey } = event;
  const hasModifier = event.ctrlKey || event.metaKey;
  if (hasModifier) return key.toLowerCase() === 'a' ? handlers.onSelectAll : null;
  if (key.toLowerCase() === 'd' && canOpen(file)) return () => handlers.onDownload(file.id);
  if (key === ' ' && isCard(event)) return () => handlers.onSelect(file.id, { range: shiftKey });
  const { onAskRemove, onAskRename } = handlers;
  if (key === 'F2' && onAskRename && canRename(file)) return () => onAskRename(file.id);
  return key === 'Delete' && onAskRemove ? () => onAskRemove(file.id) : null;
}

/**
 * Keys of the grid: arrows, Home, End and Page keys move, and with Shift select; Space and Ctrl A select, Escape
 * clears, D downloads, F2 renames, Delete opens a confirmation.
 */
export function gridKeys({ files, active, columns, pageRows = PAGE_ROWS, handlers, onMove }: GridKeysInput) {
  return (event: KeyboardEvent) => {
    const file = files[active];
    if (!file || event.altKey) return;
    if (event.key === 'Escape' && handlers.onClearSelection()) return event.preventDefault();
    const act = actOf(event, file, handlers);
    const target = event.metaKey ? null : moveInGrid(event, { active, count: files.length, columns, pageRows });
    const next = target === null ? undefined : files[target];
    if (!act && !next) return;
    event.preventDefault();
    if (act) act();
    else if (target !== null && next) {
      onMove(target, next.id);
      if (event.shiftKey) handlers.onSelect(next.id, { range: true, from: file.id });
    }
  };
}

/** Firefox fires a button's click on keyup of Space, even if keydown was handled. */
export const keepSpace = (event: KeyboardEvent) => {
  if (event.key === ' ' && isCard(event)) event.preventDefault();
};

interface GridRowProps extends CardHandlers {
  files: readonly FolderEntry[];
  index: number;
  /** Column of the card that has the tab stop, if it is in this row. */
  activeColumn: number | null;
  columns: number;
  offsetPx: number;
  heightPx: number;
  nameWidthPx: number;
  selected: ReadonlySet<string>;
  onFocus: (id: string) => void;
}

function EntryCard({ entry, ...card }: Omit<FileCardProps, 'file'> & { entry: FolderEntry }) {
  if (entry.kind !== 'directory') return <FileCard file={entry} {...card} />;
  return (
    <Suspense>
      <DirectoryCard directory={entry} {...card} />
    </Suspense>
  );
}

function GridRow({ files, index, activeColumn, columns, offsetPx, heightPx, selected, ...card }: GridRowProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the grid
    // biome-ignore lint/a11y/useFocusableInteractive: its cells' buttons take the focus (APG "grid")
    <div
      role="row"
      aria-rowindex={index + 1}
      className="absolute inset-x-0 top-0 grid"
      style={{
        transform: `translateY(${offsetPx}px)`,
        height: heightPx,
        gap: GAP_PX,
        gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
      }}
    >
      {files.map((file, column) => (
        // biome-ignore lint/a11y/useSemanticElements: see the grid
        // biome-ignore lint/a11y/useFocusableInteractive: see the row
        <div
          key={file.id}
          role="gridcell"
          aria-colindex={column + 1}
          aria-selected={canSelect(file, card.onAskRemove !== null) ? selected.has(file.id) : undefined}
          className="min-w-0"
        >
          <EntryCard
            entry={file}
            active={column === activeColumn}
            selected={selected.has(file.id)}
            selecting={selected.size > 0}
            {...card}
          />
        </div>
      ))}
    </div>
  );
}

/**
 * Virtualised layout grid (APG "grid"): one tab stop, arrow keys move, Home, End and Page keys jump, Enter opens, Space
 * selects, D downloads. Only rows near the viewport are in the DOM.
 */
export function FileGrid({ files, selected, startAt, startsFocused, onStarted, ...handlers }: FileGridProps) {
  const { t } = useLingui();
  const [box, widthPx] = useWidth<HTMLDivElement>();
  const { columns, rows, cardWidthPx, rowHeightPx } = gridShape(widthPx, files.length);
  const nameMarginPx = useFontReady(NAME_FONT) ? NAME_MARGIN_PX : NAME_MARGIN_UNMEASURED_PX;
  const [active, setActiveId] = useTabStop(files, startAt);
  const activeRow = Math.floor(active / columns);
  const { indexes, scrollToRow } = useWindowRows({ rows, rowHeightPx, activeRow, box });
  const wanted = useFocusCard(box, startsFocused ? files[active]?.id : undefined);
  useEffect(onStarted, [onStarted]);
  const onMove = (index: number, id: string) => {
    wanted.current = id;
    setActiveId(id);
    scrollToRow(Math.floor(index / columns));
  };
  return (
    <div ref={box}>
      {widthPx > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: a virtualised grid of cards is no table
        <div
          role="grid"
          aria-label={t`Files`}
          aria-rowcount={rows}
          aria-colcount={columns}
          aria-multiselectable
          tabIndex={-1}
          onKeyDown={gridKeys({ files, active, columns, handlers, onMove })}
          onKeyUp={keepSpace}
          className="relative focus-visible:outline-none"
          style={{ height: Math.max(0, rows * rowHeightPx - GAP_PX) }}
        >
          {indexes.map((index) => (
            <GridRow
              key={index}
              index={index}
              files={files.slice(index * columns, (index + 1) * columns)}
              activeColumn={index === activeRow ? active % columns : null}
              columns={columns}
              offsetPx={index * rowHeightPx}
              heightPx={rowHeightPx - GAP_PX}
              nameWidthPx={cardWidthPx - nameMarginPx}
              selected={selected}
              onFocus={setActiveId}
              {...handlers}
            />
          ))}
        </div>
      )}
    </div>
  );
}
