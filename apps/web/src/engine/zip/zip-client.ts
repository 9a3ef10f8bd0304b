import type { Delivery, ZipPlace } from '@satchel/client/open/delivery-stream';
import { createZipNames } from '@satchel/client/open/zip-names';
import { listedFacts, type ZipEntry, type ZipFile } from '@satchel/client/open/zip-stream';
import { writeZip, type ZipInput } from '@satchel/client/open/zip-writer';
import type { Bytes } from '@satchel/container/format';
import { AppError, toAppError } from '@satchel/contract/errors';
import { saveBlob } from '../../lib/browser/save-link.ts';
import { openWhole } from '../files/open/open-client.ts';
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
  const blob = await zipInMemory(zip, { onProgress, signal });
  signal.throwIfAborted();
  saveBlob(blob, zip.name);
}

async function wholeFile(
  { url, entry, name, proof }: ZipFile,
  signal: AbortSignal,
): Promise<{ name: string; blob: Blob }> {
  if (proof !== null) return openWhole({ url, entry, name, proof, signal });
  const response = await fetch(url, { signal });
  if (response.ok) return { name, blob: await response.blob() };
  const message = `${response.status} ${response.statusText}`.trim();
  throw new AppError('download.file_failed', { name, message });
}

async function* bytesOf(blob: Blob): AsyncGenerator<Bytes> {
  const reader = blob.stream().getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value as Bytes;
}

async function zipInMemory({ files }: ZipEntry, { onProgress, signal }: ZipOptions): Promise<Blob> {
  const nameOf = createZipNames(files);
  let deliveredBytes = 0;
  async function* inputs(): AsyncGenerator<ZipInput> {
    for (const [index, file] of files.entries()) {
      onProgress({ index, fileBytes: 0, deliveredBytes });
      const { name, blob } = await wholeFile(file, signal).catch((error: unknown) => {
        throw signal.aborted ? error : toAppError(error, 'download.failed');
      });
      deliveredBytes += blob.size;
      yield { ...listedFacts(file), name: nameOf(name, file.directory), content: bytesOf(blob) };
    }
  }
  const parts: Blob[] = [];
  for await (const unit of writeZip(inputs())) parts.push(new Blob(unit));
  return new Blob(parts);
}
