import type { Delivery, ZipPlace } from '@satchel/client/open/delivery-stream';
import { openZip, type ZipEntry } from '@satchel/client/open/zip-stream';
import { PAGE_LINE } from '../files/page-line.ts';
import { saveOpened } from '../files/saving/save-opened.ts';

/** Saving many files as one zip. */

export interface ZipProgress extends ZipPlace {
  /** Of the zip, so far. */
  readonly deliveredBytes: number;
  /** Nothing has come for long. */
  readonly isWaiting: boolean;
}

export interface ZipOptions {
  readonly onProgress: (progress: ZipProgress) => void;
  readonly signal: AbortSignal;
}

/** Before the first file. */
const NOWHERE: ZipPlace = { index: 0, fileBytes: 0 };

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
    onReport: ({ state, deliveredBytes, place = NOWHERE }: Delivery) =>
      onProgress({ ...place, deliveredBytes, isWaiting: state === 'waiting' }),
    signal,
  });
