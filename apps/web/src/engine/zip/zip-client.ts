import type { Delivery, ZipPlace } from '@satchel/client/open/delivery-stream';
import { openZip, type ZipEntry } from '@satchel/client/open/zip-stream';
import { PAGE_LINE } from '../files/page-line.ts';
import { saveOpened } from '../files/saving/save-opened.ts';

/** Saving many files as one zip. */

export interface ZipProgress extends ZipPlace {
  /** Of the zip, so far. */
  readonly deliveredBytes: number;
}

export interface ZipOptions {
  readonly onProgress: (progress: ZipProgress) => void;
  readonly signal: AbortSignal;
}

/**
 * Saves a zip of stored files, opened on the way. Resolves when every byte has been delivered.
 * @returns whether it is known to be saved
 * @throws AppError download.*, open.*; an AbortError when given up
 */
export const downloadZip = (zip: ZipEntry, { onProgress, signal }: ZipOptions): Promise<boolean> =>
  saveOpened({
    name: zip.name,
    offer: async () => zip,
    open: (entry, givenUp) => openZip(entry, 0, { ...PAGE_LINE, signal: givenUp }),
    onReport: ({ deliveredBytes, place }: Delivery) => place && onProgress({ ...place, deliveredBytes }),
    signal,
  });
