/** Where focus returns to in the grid. */

/** The card of a file, if it is on the page. */
export const cardOf = (id: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-file="${CSS.escape(id)}"]`);

/** The card that has the grid's tab stop. */
export const tabStopCard = (): HTMLElement | null => document.querySelector('[data-main][tabindex="0"]');

/** Moves focus to the grid when the focused element is about to be removed. */
export const focusGrid = (): void => tabStopCard()?.focus({ preventScroll: true });
