/** Selection as in file managers: single files, or a range between two. */

export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** Anchor of a range: the file that was selected or deselected last. */
  readonly anchor: string | null;
  /** The selection before the present range. */
  readonly base: ReadonlySet<string>;
}

export const NO_SELECTION: Selection = { ids: new Set(), anchor: null, base: new Set() };

/** Toggles one file. */
export function toggled({ ids }: Selection, id: string): Selection {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return { ids: next, anchor: id, base: next };
}

/**
 * Selects everything between the anchor and a file; replaces the previous range.
 * @param order all files in display order
 * @param from the anchor if nothing was selected before
 */
export function extended(selection: Selection, order: readonly string[], id: string, from: string = id): Selection {
  const anchor = selection.anchor ?? from;
  const to = order.indexOf(id);
  const start = order.indexOf(anchor);
  if (to < 0) return selection;
  if (start < 0) return { ...selection, ids: new Set([...selection.base, id]), anchor: id };
  const range = order.slice(Math.min(start, to), Math.max(start, to) + 1);
  return { ...selection, anchor, ids: new Set([...selection.base, ...range]) };
}

/** Selects all files that are shown. */
export const everything = (order: readonly string[]): Selection => {
  const ids = new Set(order);
  return { ids, anchor: order[0] ?? null, base: ids };
};

/** The selection without files that are not shown; the same object if all of them are. */
export function among(selection: Selection, order: readonly string[]): Selection {
  if (selection.ids.size === 0) return selection;
  const shown = new Set(order);
  const keep = (ids: ReadonlySet<string>) => new Set([...ids].filter((id) => shown.has(id)));
  const ids = keep(selection.ids);
  return ids.size === selection.ids.size ? selection : { ...selection, ids, base: keep(selection.base) };
}
