import type { Delivery, ZipPlace } from '@satchel/client/open/delivery-stream';
import { openZip, type ZipEntry } from '@satchel/client/open/zip-stream';
import { AppError } from '@satchel/contract/errors';
import { saveBlob } from '../../lib/browser/save-link.ts';
import { PAGE_LINE } from '../files/page-line.ts';
import { deliver } from '../media/media-client.ts';
import { mediaWorker } from '../media/service-worker-link.ts';
import { zipLimitBytes } from './zip-limit.ts';

/** Saving many files as one zip (DESIGN-UX §7.9). */

export interface ZipProgress extends ZipPlace {
  /** Of the zip, so far. */
  readonly deliveredBytes: number;
}

export interface ZipOptions {
  readonly onProgress: (progress: ZipProgress) => void;
  readonly signal: AbortSignal;
}

/**
 * Saves a zip of stored files, opened on the way. It streams through the service worker; where there is none, it is made
 * in memory, with a limit. Resolves when every byte has been delivered.
 * @throws AppError download.*, open.*; the signal's reason when given up
 */
export async function downloadZip(zip: ZipEntry, { onProgress, signal }: ZipOptions): Promise<void> {
  const worker = await mediaWorker();
  const maxBytes = zipLimitBytes(worker !== null);
  const storedBytes = zip.files.reduce((sum, { entry }) => sum + entry.metadata.size, 0);
  if (maxBytes !== null && storedBytes > maxBytes) throw new AppError('download.zip_too_large_here', { maxBytes });
  const onReport = ({ deliveredBytes, place }: Delivery) => place && onProgress({ ...place, deliveredBytes });
  if (worker !== null && (await deliver(worker, zip, { onReport, signal }))) return;
  const blob = await zipInMemory(zip, { onProgress, signal }).catch((error: unknown) => {
    throw signal.aborted ? signal.reason : error;
  });
  signal.throwIfAborted();
  saveBlob(blob, zip.name);
}

async function zipInMemory(zip: ZipEntry, { onProgress, signal }: ZipOptions): Promise<Blob> {
  const { units, place } = openZip(zip, 0, { ...PAGE_LINE, signal });
  const parts: Blob[] = [];
  let deliveredBytes = 0;
  for await (const unit of units) {
    parts.push(new Blob([...unit]));
    for (const { length } of unit) deliveredBytes += length;
    const at = place?.();
    if (at) onProgress({ ...at, deliveredBytes });
  }
  return new Blob(parts);
}
