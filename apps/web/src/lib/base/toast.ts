import { createStore } from './external-store.ts';

export type ToastKind = 'success' | 'error' | 'info';
/** Says it again in the language that the page has by then. */
type ToastText = () => string;
export interface Toast {
  readonly text: ToastText;
  readonly kind: ToastKind;
}

/** Toasts that are not shown yet. The component that shows them loads at the first one. */
export const queuedToasts = createStore<readonly Toast[]>([]);

/** Shows a short message at the edge of the page; it is spoken, too. */
export function notify(text: ToastText, kind: ToastKind = 'success'): void {
  queuedToasts.set([...queuedToasts.get(), { text, kind }]);
}

/** Returns the queued toasts and empties the queue. */
export function takeToasts(): readonly Toast[] {
  const queued = queuedToasts.get();
  if (queued.length > 0) queuedToasts.set([]);
  return queued;
}
