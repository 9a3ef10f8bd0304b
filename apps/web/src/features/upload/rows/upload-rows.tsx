import { useLingui } from '@lingui/react/macro';
import { defaultRangeExtractor, type Range, useVirtualizer, useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { UploadItem } from '../../../engine/uploads/queue/queue.ts';
import { useMedia } from '../../../lib/browser/hooks.ts';
import { type RowActions, UploadRow } from './upload-row.tsx';

interface UploadRowsProps {
  items: readonly UploadItem[];
  /** Must keep its identity across renders; otherwise each step of one upload renders every row. */
  actions: RowActions;
}

/** From this many rows on, only the visible ones are rendered. */
const PLAIN_MAX = 40;
const ROW_PX = 61;
const OVERSCAN_ROWS = 8;
const LIST = 'border-y border-line sm:max-h-[25.5rem] sm:overflow-y-auto';

function PlainRows({ items, actions }: UploadRowsProps) {
  const { t } = useLingui();
  return (
    <ul aria-label={t`Files to upload`} className={`divide-y divide-line ${LIST}`}>
      {items.map((item) => (
        <UploadRow key={item.id} item={item} actions={actions} />
      ))}
    </ul>
  );
}

/** The focused row stays mounted; otherwise the focus would fall back to the page. */
function useFocusedRow(box: RefObject<HTMLElement | null>) {
  const row = useRef(-1);
  const note = () => {
    const focused = document.activeElement?.closest<HTMLElement>('[data-index]');
    row.current = focused && box.current?.contains(focused) ? Number(focused.dataset.index) : -1;
  };
  const rangeExtractor = (range: Range) => {
    const shown = new Set(defaultRangeExtractor(range));
    if (row.current >= 0 && row.current < range.count) shown.add(row.current);
    return [...shown].sort((a, b) => a - b);
  };
  return { note, rangeExtractor };
}

function useRowVirtualizer(items: readonly UploadItem[], box: RefObject<HTMLElement | null>, isPhone: boolean) {
  const [marginPx, setMarginPx] = useState(0);
  const focused = useFocusedRow(box);
  useLayoutEffect(() => {
    if (isPhone && box.current) setMarginPx(Math.round(box.current.getBoundingClientRect().top + scrollY));
  });
  const common = {
    count: items.length,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN_ROWS,
    getItemKey: (index: number) => items[index]?.id ?? index,
    rangeExtractor: focused.rangeExtractor,
  };
  const inBox = useVirtualizer({ ...common, getScrollElement: () => box.current, enabled: !isPhone });
  // No scroll areas inside phone pages (DESIGN-UX §3): there the page itself scrolls.
  const inPage = useWindowVirtualizer({ ...common, scrollMargin: marginPx, enabled: isPhone });
  return { virtualizer: isPhone ? inPage : inBox, marginPx: isPhone ? marginPx : 0, note: focused.note };
}

function VirtualRows({ items, actions }: UploadRowsProps) {
  const { t } = useLingui();
  const box = useRef<HTMLDivElement>(null);
  const isPhone = !useMedia('(min-width: 40rem)');
  const { virtualizer, marginPx, note } = useRowVirtualizer(items, box, isPhone);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only watches where the focus of its buttons is
    <div ref={box} className={LIST} onFocus={note} onBlur={note}>
      <ul aria-label={t`Files to upload`} className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const item = items[index];
          if (!item) return null;
          const place = { index, count: items.length, offsetPx: start - marginPx, measure: virtualizer.measureElement };
          return <UploadRow key={key} item={item} actions={actions} place={place} />;
        })}
      </ul>
    </div>
  );
}

/** The rows of the queue; a dropped directory may hold thousands. */
export const UploadRows = (props: UploadRowsProps) =>
  props.items.length > PLAIN_MAX ? <VirtualRows {...props} /> : <PlainRows {...props} />;
