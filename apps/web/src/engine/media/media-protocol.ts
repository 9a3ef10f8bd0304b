import type { Delivery } from '@satchel/client/open/delivery-stream';
import type { MediaEntry } from '@satchel/client/open/media-entry';
import type { ZipEntry } from '@satchel/client/open/zip-stream';

/** Messages between the page and the service worker (docs/decisions/023). */

/** What a page hands to the worker. */
export type Offer = MediaEntry | ZipEntry;

export const isZip = (offer: Offer): offer is ZipEntry => 'files' in offer;

/**
 * From a page to the worker; `ping`, `share` and `add` come with a port for the answer, and `add` with the port of the page's opening
 * worker.
 */
export type PageMessage =
  | { readonly type: 'add'; readonly id: string; readonly entry: Offer }
  | { readonly type: 'drop'; readonly id: string }
  /** Ends a download on its way: the browser learns that it failed. */
  | { readonly type: 'cancel'; readonly id: string }
  /** Keeps the worker alive, and asks how far the files with these ids are: `(Delivery | null)[]`. */
  | { readonly type: 'ping'; readonly ids: readonly string[] }
  /** Asks for the files of a share from another app: `File[] | null`. */
  | { readonly type: 'share'; readonly id: string }
  /** To a newer worker, which waits while the one before hands out files: replace it once that has ended. */
  | { readonly type: 'replace' }
  /** Take over pages that were loaded past the worker. */
  | { readonly type: 'claim' };

/** From the worker to the pages; `need` comes with a port for the answer, `Offer | null`, with a port as `add` has. */
export type WorkerMessage =
  | { readonly type: 'need'; readonly id: string }
  | { readonly type: 'delivery'; readonly id: string; readonly delivery: Delivery };

export const mediaPath = (id: string): string => `/media/${id}`;
/** Without the file's name, which the answer gives: without a worker the server would see this address. */
export const downloadPath = (id: string): string => `/dl/${id}`;

/** All that the service worker answers of it. */
export const SERVED_PATHS: readonly string[] = [mediaPath('*'), downloadPath('*')];
