import type { DecodedHeader } from '@satchel/container/format';
import type { FolderKeys } from '@satchel/container/key';
import type { FileProof } from '@satchel/container/proof';
import type { FileEntry } from '@satchel/contract/entities';
import type { WireError } from '@satchel/contract/errors';

/** Messages between the page and the service worker (CONTAINER §4 "Download", "Video and audio"). */

/** Everything that opening a range of a sealed file takes. */
export interface MediaEntry {
  /** Absolute address of the sealed bytes, on this site. */
  readonly url: string;
  /** Not extractable: they can be posted and used, never read. */
  readonly keys: FolderKeys;
  /** Checked against the file's label; it says the size. */
  readonly decoded: DecodedHeader;
  readonly name: string;
  /** A safe render type. */
  readonly type: string;
  /** Bytes of the plaintext. */
  readonly sizeBytes: number;
}

/** A file that goes into a zip. */
export interface ZipFile {
  /** Absolute address of the stored bytes, on this site. */
  readonly url: string;
  readonly entry: FileEntry;
  /** A plain file's name in the zip, and any file's name in messages; a sealed one is named by its label. */
  readonly name: string;
  /** The directory within the zip, as `a/b`; absent for a file at the top of the zip. */
  readonly directory?: string;
  /** Null for the files of plain folders. */
  readonly proof: FileProof | null;
}

/** Files that are fetched, opened and packed into one zip on their way out. */
export interface ZipEntry {
  /** Of the zip. */
  readonly name: string;
  readonly files: readonly ZipFile[];
}

/** What a page hands to the worker. */
export type Offer = MediaEntry | ZipEntry;

export const isZip = (offer: Offer): offer is ZipEntry => 'files' in offer;

/** Which file of a zip is being packed, counted from 0, and how many of its plaintext bytes are. */
export interface ZipPlace {
  readonly index: number;
  readonly fileBytes: number;
}

/** Progress of a file that the worker delivers. */
export interface Delivery {
  readonly state: 'active' | 'done' | 'cancelled' | 'failed';
  readonly deliveredBytes: number;
  readonly error: WireError | null;
  /** Of zips only. */
  readonly place?: ZipPlace;
}

/**
 * From a page to the worker; `ping`, `share` and `add` come with a port for the answer, and `add` with that of the page's opening
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
