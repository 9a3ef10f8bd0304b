/** Keys of the file grid. */

export interface GridPlace {
  /** Index of the file that has the tab stop. */
  readonly active: number;
  readonly count: number;
  readonly columns: number;
  /** Rows a press of PageUp or PageDown. */
  readonly pageRows: number;
}

export interface GridKey {
  readonly key: string;
  readonly ctrlKey: boolean;
}

function targetOf({ key, ctrlKey }: GridKey, { active, count, columns, pageRows }: GridPlace): number | null {
  const rowStart = active - (active % columns);
  switch (key) {
    case 'ArrowRight':
      return active + 1;
    case 'ArrowLeft':
      return active - 1;
    case 'ArrowDown':
      // Above a shorter last row, Down moves to its end.
      return active + columns >= count && rowStart + columns < count ? count - 1 : active + columns;
    case 'ArrowUp':
      return active - columns;
    case 'PageDown':
      return active + columns * pageRows;
    case 'PageUp':
      return active - columns * pageRows;
    case 'Home':
      return ctrlKey ? 0 : rowStart;
    case 'End':
      return ctrlKey ? count - 1 : rowStart + columns - 1;
    default:
      return null;
  }
}

/** The file that a key moves to, or null if the key doesn't move. At the edges, up and down keep their column. */
export function moveInGrid(key: GridKey, place: GridPlace): number | null {
  const target = targetOf(key, place);
  if (target === null) return null;
  const { active, count, columns } = place;
  const isVertical = key.key === 'ArrowUp' || key.key === 'ArrowDown';
  if (isVertical && (target < 0 || target >= count)) return active;
  if (key.key === 'PageUp' && target < 0) return active % columns;
  return Math.max(0, Math.min(count - 1, target));
}
