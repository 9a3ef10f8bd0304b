import type { EventKind, RecordEventInput } from '@satchel/contract/api';
import { PATHS } from '@satchel/contract/paths';

export type FolderEvent = Pick<RecordEventInput, 'folder_slug' | 'object'> & { readonly kind: EventKind };

/**
 * Tells the server of a view or a download, without waiting, also from a page that is being left. A failure
 * is ignored: the counter is then one too small.
 */
export function recordFolderEvent(event: FolderEvent): void {
  if (!navigator.onLine) return;
  fetch(`${PATHS.rpc}/record_folder_event`, {
    method: 'POST',
    credentials: 'same-origin',
    keepalive: true,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(event),
  }).catch(() => {});
}

/** The parts of a document that tell whether it is visible. */
export type Seen = Pick<Document, 'visibilityState' | 'addEventListener' | 'removeEventListener'> & {
  readonly prerendering?: boolean;
};

/**
 * Calls `then` once, as soon as the page is visible: a page that is prerendered or in a background tab has not been seen
 * yet.
 * @returns stops waiting
 */
export function whenSeen(page: Seen, then: () => void): () => void {
  const stop = () => {
    page.removeEventListener('visibilitychange', look);
    page.removeEventListener('prerenderingchange', look);
  };
  const look = () => {
    if (page.visibilityState !== 'visible' || page.prerendering === true) return;
    stop();
    then();
  };
  page.addEventListener('visibilitychange', look);
  page.addEventListener('prerenderingchange', look);
  look();
  return stop;
}
