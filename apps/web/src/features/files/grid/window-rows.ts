import { type RefObject, useCallback, useEffect, useLayoutEffect, useState } from 'react';

/** Rows of one fixed height; only rows near the viewport are in the DOM. */

const OVERSCAN_ROWS = 3;
/** Space for the sticky bars above and a margin below when a row is scrolled into view. */
const SCROLL_PADDING_PX = { start: 112, end: 24 };

export interface View {
  /** Top of the first row, measured from the top of the window; negative when scrolled past. */
  readonly topPx: number;
  readonly viewportPx: number;
  readonly rowHeightPx: number;
  readonly rows: number;
}

export interface RowRange {
  readonly first: number;
  /** One after the last. */
  readonly end: number;
}

/** The visible rows and some around them, so that scrolling shows no gap. Empty when there is no row. */
export function rowsInView({ topPx, viewportPx, rowHeightPx, rows }: View): RowRange {
  const inViewFirst = Math.floor(-topPx / rowHeightPx) - OVERSCAN_ROWS;
  const inViewEnd = Math.ceil((viewportPx - topPx) / rowHeightPx) + OVERSCAN_ROWS;
  // Scrolled far past the end, for example after most files were deleted: keep the last rows, as targets for focus.
  const first = Math.max(0, Math.min(inViewFirst, rows - 1 - OVERSCAN_ROWS));
  return { first, end: Math.min(rows, Math.max(inViewEnd, first + 1)) };
}

/**
 * How far the window must scroll to show a row; 0 when it is in view.
 * @param rowTopPx top of the row, measured from the top of the window
 */
export function scrollToShow(rowTopPx: number, rowHeightPx: number, viewportPx: number): number {
  const above = rowTopPx - SCROLL_PADDING_PX.start;
  if (above < 0) return above;
  const below = rowTopPx + rowHeightPx - (viewportPx - SCROLL_PADDING_PX.end);
  // A row higher than the window is aligned to its top.
  return below > 0 ? Math.min(below, above) : 0;
}

export interface WindowRowsInput {
  readonly rows: number;
  readonly rowHeightPx: number;
  /** Always in the DOM: it holds the tab stop, and without it focus would fall back to the page. */
  readonly activeRow: number;
  /** The first row starts at the top of this element. */
  readonly box: RefObject<HTMLElement | null>;
}

/** Follows the window; `indexes` are the rows to render, in order. */
export function useWindowRows({ rows, rowHeightPx, activeRow, box }: WindowRowsInput) {
  const [range, setRange] = useState<RowRange>({ first: 0, end: 0 });
  const measure = useCallback(() => {
    if (!box.current) return;
    const next = rowsInView({
      topPx: box.current.getBoundingClientRect().top,
      viewportPx: innerHeight,
      rowHeightPx,
      rows,
    });
    setRange((before) => (before.first === next.first && before.end === next.end ? before : next));
  }, [rows, rowHeightPx, box]);
  useLayoutEffect(measure, [measure]);
  useEffect(() => {
    // Content above the rows may grow or shrink without a scroll event.
    const observer = new ResizeObserver(measure);
    observer.observe(document.documentElement);
    addEventListener('scroll', measure, { passive: true });
    addEventListener('resize', measure);
    return () => {
      observer.disconnect();
      removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
    };
  }, [measure]);
  const shown = Array.from({ length: range.end - range.first }, (_, at) => range.first + at);
  const indexes = [...new Set([activeRow, ...shown])].filter((row) => row >= 0 && row < rows).sort((a, b) => a - b);
  const scrollToRow = (row: number) => {
    if (!box.current) return;
    const top = box.current.getBoundingClientRect().top + row * rowHeightPx;
    scrollBy({ top: scrollToShow(top, rowHeightPx, innerHeight), behavior: 'instant' });
  };
  return { indexes, scrollToRow };
}
