/** Which files are selected, as file managers have it: one by one, or all between two. */

export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** Where a range begins: the file that was selected or cleared last. */
  readonly anchor: string | null;
  /** What was selected before the present range. */
  readonly base: ReadonlySet<string>;
}

export const NO_SELECTION: Selection = { ids: new Set(), anchor: null, base: new Set() };

/** Selects a file, or no longer. */
export function toggled({ ids }: Selection, id: string): Selection {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return { ids: next, anchor: id, base: next };
}

/**
 * Selects everything between the anchor and a file; the range that was there before gives way to it.
 * @param order all files as they are shown
 * @param from where the range begins when nothing was selected before
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

/** What of a selection is among the files that are shown, and the very same one when all of it is. */
export function among(selection: Selection, order: readonly string[]): Selection {
  if (selection.ids.size === 0) return selection;
  const shown = new Set(order);
  const keep = (ids: ReadonlySet<string>) => new Set([...ids].filter((id) => shown.has(id)));
  const ids = keep(selection.ids);
  return ids.size === selection.ids.size ? selection : { ...selection, ids, base: keep(selection.base) };
}
