import { type FocusEvent, type RefObject, useEffect, useRef } from 'react';

interface LastFocus {
  readonly uploadId: string | undefined;
  /** Index of the row, from 0. */
  readonly row: number;
}

const rowsOf = (section: HTMLElement) => [...section.querySelectorAll<HTMLElement>('[data-upload]')];
const buttonOf = (row: HTMLElement | undefined) => row?.querySelector<HTMLElement>('button:last-of-type');

/** Next focus after a button is removed: the same row, else the row at its index, else the panel's own button. */
function placeAfter(section: HTMLElement, { uploadId, row }: LastFocus): HTMLElement | null {
  const rows = rowsOf(section);
  const same = rows.find((one) => one.dataset.upload === uploadId);
  const next = row >= 0 ? (rows[row] ?? rows.at(-1)) : undefined;
  return buttonOf(same) ?? buttonOf(next) ?? section.querySelector<HTMLElement>('[data-rest]');
}

/**
 * Keeps the focus in a panel whose buttons disappear on use (Remove, Clear All, the drop zone itself): otherwise it
 * falls back to the page, and the next Tab starts at its top.
 * @returns handlers for the panel
 */
export function useKeptFocus(section: RefObject<HTMLElement | null>) {
  const last = useRef<LastFocus | null>(null);
  useEffect(() => {
    if (!last.current || !section.current || document.activeElement !== document.body) return;
    placeAfter(section.current, last.current)?.focus();
  });
  return {
    onFocus({ target }: FocusEvent) {
      const row = target.closest<HTMLElement>('[data-upload]');
      const index = row && section.current ? rowsOf(section.current).indexOf(row) : -1;
      last.current = { uploadId: row?.dataset.upload, row: index };
    },
    onBlur({ target, relatedTarget }: FocusEvent) {
      // Removing a button also blurs it; a button blurred by a click or Tab is still in the DOM afterwards. One that was moved
      // with its row has the focus again.
      const forget = () => {
        last.current = null;
      };
      if (relatedTarget === null)
        queueMicrotask(() => target.isConnected && document.activeElement !== target && forget());
      else if (!section.current?.contains(relatedTarget)) forget();
    },
  };
}
