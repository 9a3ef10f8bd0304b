import { createStore } from './external-store.ts';

export type ToastKind = 'success' | 'error' | 'info';
export interface Toast {
  readonly text: string;
  readonly kind: ToastKind;
}

/** Toasts that are not shown yet. The component that shows them loads at the first one (DESIGN-UX §6). */
export const waitingToasts = createStore<readonly Toast[]>([]);

/** Shows a short message at the edge of the page; it is spoken, too. */
export function notify(text: string, kind: ToastKind = 'success'): void {
  waitingToasts.set([...waitingToasts.get(), { text, kind }]);
}

/** Hands over what waits, once. */
export function takeToasts(): readonly Toast[] {
  const waiting = waitingToasts.get();
  if (waiting.length > 0) waitingToasts.set([]);
  return waiting;
}
