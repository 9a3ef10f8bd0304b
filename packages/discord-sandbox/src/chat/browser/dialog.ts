import { type Child, el, freshId, iconButton } from './dom.ts';

/** Gives the focus back to the element that had it, or to its message if that has been drawn again. */
function placeOfFocus(pane: HTMLElement): () => void {
  const opener = document.activeElement;
  if (!(opener instanceof HTMLElement)) return () => undefined;
  const messageId = opener.closest<HTMLElement>('[data-id]')?.dataset.id;
  return () => {
    const message = pane.querySelector<HTMLElement>(`[data-id="${messageId}"]`);
    (opener.isConnected ? opener : message)?.focus();
  };
}

/** Opens a dialog over one person's pane; the other panes stay usable. Escape closes it. */
export function openDialog(pane: HTMLElement, title: string, ...children: readonly Child[]): HTMLDialogElement {
  const giveFocusBack = placeOfFocus(pane);
  const titleId = freshId();
  const close = () => dialog.close();
  const dialog = el(
    'dialog',
    { class: 'modal', 'aria-labelledby': titleId },
    el('div', { class: 'modal-head' }, el('h2', { id: titleId }, title), iconButton('Close', 'cross', close)),
    ...children,
  );
  const veil = el('div', { class: 'veil' }, dialog);
  const covered = [...pane.children].filter((one) => one instanceof HTMLElement && !one.inert) as HTMLElement[];
  for (const one of covered) one.inert = true;

  // A press beside it must not take the focus out of it, or Escape would not be heard.
  veil.addEventListener('mousedown', (event) => event.target === veil && event.preventDefault());
  dialog.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.isComposing) close();
  });
  dialog.addEventListener('close', () => {
    veil.remove();
    for (const one of covered) one.inert = false;
    giveFocusBack();
  });
  pane.append(veil);
  dialog.show();
  return dialog;
}
