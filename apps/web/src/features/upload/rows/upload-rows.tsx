import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { inShownOrder, type UploadItem } from '@satchel/client/send/list/queue';
import {
  defaultRangeExtractor,
  type Range,
  useVirtualizer,
  useWindowVirtualizer,
  type Virtualizer,
} from '@tanstack/react-virtual';
import { ChevronDown } from 'lucide-react';
import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { cx } from '../../../lib/base/class-names.ts';
import { useLatest, useMedia } from '../../../lib/browser/hooks.ts';
import { type RowActions, UploadRow } from './upload-row.tsx';

interface UploadRowsProps {
  items: readonly UploadItem[];
  /** Must keep its identity across renders; otherwise each step of one upload renders every row. */
  actions: RowActions;
}

/** From this many rows on, only the visible ones are rendered. */
const PLAIN_MAX = 40;
const ROW_PX = 61;
const OVERSCAN_ROWS = 3;
const LIST = 'border-y border-line sm:max-h-[25.5rem] sm:overflow-y-auto';

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** To the same button of the row above or below. */
function moveByArrow(event: KeyboardEvent<HTMLElement>): void {
  const { currentTarget: box, target } = event;
  const step = STEPS[event.key];
  if (step === undefined || !(target instanceof HTMLElement) || !box.contains(target)) return;
  const rows = [...box.querySelectorAll<HTMLElement>('[data-upload]')];
  const at = rows.findIndex((row) => row.contains(target));
  const buttonsOf = (row: HTMLElement | undefined): HTMLElement[] => [...(row?.querySelectorAll('button') ?? [])];
  const next = buttonsOf(rows[at + step]);
  const place = buttonsOf(rows[at]).indexOf(target);
  event.preventDefault();
  (next[place] ?? next.at(-1))?.focus();
}

/** Of all rows, Tab stops at one: a list of a hundred files is left by the next Tab. Arrow keys lead to the other rows. */
function useTabStop(items: readonly UploadItem[]) {
  const [wanted, setWanted] = useState<string>();
  const at = Math.max(
    0,
    items.findIndex(({ id }) => id === wanted),
  );
  const onFocus = ({ target }: FocusEvent) => {
    const id = target.closest<HTMLElement>('[data-upload]')?.dataset.upload;
    if (id !== undefined) setWanted(id);
  };
  return { at, handlers: { onFocus, onKeyDown: moveByArrow } };
}

function PlainRows({ items, actions }: UploadRowsProps) {
  const { t } = useLingui();
  const stop = useTabStop(items);
  return (
    <ul aria-label={t`Files to upload`} className={`divide-y divide-line ${LIST}`} {...stop.handlers}>
      {items.map((item, index) => (
        <UploadRow key={item.id} item={item} actions={actions} isTabStop={index === stop.at} />
      ))}
    </ul>
  );
}

const ORDER_KEPT_MS = 3000;

const placesOf = (items: readonly UploadItem[]) => new Map(inShownOrder(items).map(({ id }, place) => [id, place]));

/**
 * Uploads under way come first, since the others may be out of sight. A long list keeps its order for a while: otherwise each
 * of many small files would move through the view and get a new row.
 */
export function useShownOrder(items: readonly UploadItem[], isLong: boolean): readonly UploadItem[] {
  const [places, setPlaces] = useState(() => placesOf(items));
  const latest = useLatest(items);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the items is to be seen in the end
  useEffect(() => {
    if (!isLong) return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      setPlaces(placesOf(latest.current));
    }, ORDER_KEPT_MS);
  }, [items, isLong, latest]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  return useMemo(() => {
    const isKept = isLong && items.length === places.size && items.every(({ id }) => places.has(id));
    return isKept ? [...items].sort((a, b) => places.get(a.id)! - places.get(b.id)!) : inShownOrder(items);
  }, [items, isLong, places]);
}

/** The row where Tab stops stays mounted; otherwise its focus would fall back to the page. */
const rangeWith =
  (at: number) =>
  (range: Range): number[] =>
    [...new Set(defaultRangeExtractor(range)).add(at)].sort((a, b) => a - b);

/** The observer measures a row after it is drawn; a look at each new row would make the browser lay out in between. */
function heightOf<Box extends Element | Window>(
  row: Element,
  entry: ResizeObserverEntry | undefined,
  rows: Virtualizer<Box, Element>,
): number {
  const [box] = entry?.borderBoxSize ?? [];
  const known = rows.itemSizeCache.get(rows.options.getItemKey(rows.indexFromElement(row)));
  return box ? Math.round(box.blockSize) : (known ?? ROW_PX);
}

function useRowVirtualizer(items: readonly UploadItem[], box: RefObject<HTMLElement | null>, isPhone: boolean) {
  const [marginPx, setMarginPx] = useState(0);
  const stop = useTabStop(items);
  useLayoutEffect(() => {
    if (isPhone && box.current) setMarginPx(Math.round(box.current.getBoundingClientRect().top + scrollY));
  });
  const common = {
    count: items.length,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN_ROWS,
    getItemKey: (index: number) => items[index]?.id ?? index,
    rangeExtractor: rangeWith(stop.at),
    measureElement: heightOf,
  };
  const inBox = useVirtualizer({ ...common, getScrollElement: () => box.current, enabled: !isPhone });
  // No scroll areas inside phone pages: there the page itself scrolls.
  const inPage = useWindowVirtualizer({ ...common, scrollMargin: marginPx, enabled: isPhone });
  return { virtualizer: isPhone ? inPage : inBox, marginPx: isPhone ? marginPx : 0, stop };
}

const useIsPhone = () => !useMedia('(min-width: 40rem)');

function VirtualRows({ items, actions }: UploadRowsProps) {
  const { t } = useLingui();
  const box = useRef<HTMLDivElement>(null);
  const isPhone = useIsPhone();
  const { virtualizer, marginPx, stop } = useRowVirtualizer(items, box, isPhone);
  return (
    <div ref={box} className={LIST} {...stop.handlers}>
      <ul aria-label={t`Files to upload`} className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const item = items[index];
          if (!item) return null;
          const place = { index, count: items.length, offsetPx: start - marginPx, measure: virtualizer.measureElement };
          return <UploadRow key={key} item={item} actions={actions} place={place} isTabStop={index === stop.at} />;
        })}
      </ul>
    </div>
  );
}

/** The browser takes the focus from an element that is moved: it gets it back. */
function useFocusOfMoved(items: readonly UploadItem[]): void {
  const focused = document.activeElement;
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows move when the order of the items changes
  useLayoutEffect(() => {
    const isMoved = focused instanceof HTMLElement && focused.isConnected && focused.closest('[data-upload]') !== null;
    if (isMoved && document.activeElement !== focused) focused.focus({ preventScroll: true });
  }, [items]);
}

/** A phone shows these, the ones under way first, until the person asks for all: the page below the list stays near. */
const FOLDED_ROWS = 3;

/** The rows of the queue; a dropped directory may hold thousands. */
export function UploadRows({ items, actions }: UploadRowsProps) {
  const isPhone = useIsPhone();
  const [isOpen, setOpen] = useState(false);
  const isLong = items.length > PLAIN_MAX;
  const shown = useShownOrder(items, isLong);
  useFocusOfMoved(shown);
  const folds = isPhone && items.length > FOLDED_ROWS;
  const isFolded = folds && !isOpen;
  const Rows = isLong && !isFolded ? VirtualRows : PlainRows;
  return (
    <>
      <Rows items={isFolded ? shown.slice(0, FOLDED_ROWS) : shown} actions={actions} />
      {folds && (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="flex min-h-11 w-full items-center justify-center gap-1.5 border-b border-line text-xs text-muted hover:text-ink"
        >
          {isOpen ? (
            <Trans>Show fewer files</Trans>
          ) : (
            <Plural value={items.length} one="Show all # file" other="Show all # files" />
          )}
          <ChevronDown size={15} aria-hidden className={cx('transition-transform', isOpen && 'rotate-180')} />
        </button>
      )}
    </>
  );
}
