/** The list of the section that is shown. */
export const LIST_ID = 'operator-list';

/** What was acted on may have left the list, and focus with it: the list is the place to go on from. */
export const operatorList = (): HTMLElement | null => document.getElementById(LIST_ID);
