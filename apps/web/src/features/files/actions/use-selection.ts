import { plural, t } from '@lingui/core/macro';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { announce } from '../../../lib/base/announce.ts';
import { among, everything, extended, NO_SELECTION, type Selection, toggled } from './selection.ts';

export interface SelectHandlers {
  /** Toggles one file, or selects a range up to it. `from` is the anchor when nothing was selected. */
  readonly onSelect: (id: string, how?: { readonly range?: boolean; readonly from?: string | undefined }) => void;
  readonly onSelectAll: () => void;
  /** Returns false if nothing was selected. */
  readonly onClearSelection: () => boolean;
}

function say({ size }: ReadonlySet<string>): void {
  announce(size === 0 ? t`Nothing selected` : plural(size, { one: '# file selected', other: '# files selected' }));
}

/** The selection among these files; announces every change. The handlers keep their identity. */
export function useSelection(selectable: readonly { readonly id: string }[]) {
  const [kept, setSelection] = useState<Selection>(NO_SELECTION);
  const order = useMemo(() => selectable.map(({ id }) => id), [selectable]);
  const selection = useMemo(() => among(kept, order), [kept, order]);
  const latest = useRef({ selection, order });
  useEffect(() => {
    latest.current = { selection, order };
  });
  const change = useCallback((next: Selection) => {
    latest.current = { ...latest.current, selection: next };
    setSelection(next);
    say(next.ids);
  }, []);
  const handlers = useMemo<SelectHandlers>(
    () => ({
      onSelect: (id, { range = false, from } = {}) => {
        const { selection: before, order: ids } = latest.current;
        if (!ids.includes(id)) return;
        change(range ? extended(before, ids, id, from) : toggled(before, id));
      },
      onSelectAll: () => change(everything(latest.current.order)),
      onClearSelection: () => {
        if (latest.current.selection.ids.size === 0) return false;
        change(NO_SELECTION);
        return true;
      },
    }),
    [change],
  );
  return { selected: selection.ids, handlers };
}
