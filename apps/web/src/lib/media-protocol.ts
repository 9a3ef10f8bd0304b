import type { DecodedHeader } from '@satchel/container/format';
import type { FolderKeys } from '@satchel/container/key';
import type { WireError } from '@satchel/contract/errors';

/** What the page and the service worker say to each other (CONTAINER §4 "Download", "Video and audio"). */

/** Everything that opening a range of a sealed file takes. */
export interface MediaEntry {
  /** Absolute address of the sealed bytes, on this site. */
  readonly url: string;
  /** Not extractable: they can be posted and used, never read. */
  readonly keys: FolderKeys;
  /** Its header says the size. */
  readonly decoded: DecodedHeader;
  readonly name: string;
  /** A safe render type. */
  readonly type: string;
  /** Bytes of the plaintext. */
  readonly sizeBytes: number;
}

/** How far a file has got on its way out of the worker. */
export interface Delivery {
  readonly state: 'active' | 'done' | 'cancelled' | 'failed';
  readonly deliveredBytes: number;
  readonly error: WireError | null;
}

/** From a page to the worker; `ping` and `add` come with a port for the answer. */
export type PageMessage =
  | { readonly type: 'add'; readonly id: string; readonly entry: MediaEntry }
  | { readonly type: 'drop'; readonly id: string }
  /** Keeps the worker alive, and asks how far the files with these ids are: `(Delivery | null)[]`. */
  | { readonly type: 'ping'; readonly ids: readonly string[] }
  /** Take over pages that were loaded past the worker. */
  | { readonly type: 'claim' };

/** From the worker to the pages; `need` comes with a port for the answer, `MediaEntry | null`. */
export type WorkerMessage =
  | { readonly type: 'need'; readonly id: string }
  | { readonly type: 'delivery'; readonly id: string; readonly delivery: Delivery };

export const mediaPath = (id: string): string => `/media/${id}`;
export const downloadPath = (id: string, name: string): string => `/dl/${id}/${encodeURIComponent(name)}`;
