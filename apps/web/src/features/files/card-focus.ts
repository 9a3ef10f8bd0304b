/** Where focus goes back to in the grid. */

/** The card of a file, when it is on the page. */
export const cardOf = (id: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-file="${CSS.escape(id)}"]`);

/** The card that has the grid's one tab stop. */
export const tabStopCard = (): HTMLElement | null => document.querySelector('[data-main][tabindex="0"]');
