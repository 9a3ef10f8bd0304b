/** Where focus goes back to in the grid. */

/** The card of a file, when it is on the page. */
export const cardOf = (id: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-file="${CSS.escape(id)}"]`);

/** The card that has the grid's one tab stop. */
export const tabStopCard = (): HTMLElement | null => document.querySelector('[data-main][tabindex="0"]');

/** Goes on in the grid when what had the focus is about to leave the page. */
export const focusGrid = (): void => tabStopCard()?.focus({ preventScroll: true });
