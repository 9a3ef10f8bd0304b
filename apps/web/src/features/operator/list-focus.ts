/** The list of the visible section. */
export const LIST_ID = 'operator-list';

/** The action may remove its row, and the focus with it: the list takes the focus. */
export const operatorList = (): HTMLElement | null => document.getElementById(LIST_ID);
