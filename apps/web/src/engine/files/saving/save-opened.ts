import { type Delivery, deliveryStream, type Opened } from '@satchel/client/open/delivery-stream';
import { collect } from '@satchel/client/open/open-file';
import type { Bytes } from '@satchel/container/format';
import { AppError } from '@satchel/contract/errors';
import { saveBlob } from '../../../lib/browser/save-link.ts';
import { deliver } from '../../media/media-client.ts';
import { isZip, type Offer } from '../../media/media-protocol.ts';
import { mediaWorker } from '../../media/service-worker-link.ts';
import { type Saving, savingWay } from './saving-way.ts';
import { offerToCompare } from './to-compare.ts';

/** Saves opened files, and zips of them, by the way that this browser has (saving-way.ts). */

export interface ToSave<T extends Offer> {
  readonly name: string;
  /** Called once the place is picked: a browser lets the page ask for that right after a click only. */
  readonly offer: () => Promise<T>;
  /** Opens it in this page, where no service worker does. */
  readonly open: (offer: T, signal: AbortSignal) => Opened;
  /** Not called of a file that the browser shows by itself, until that stands still. */
  readonly onReport?: (report: Delivery) => void;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/** Whether a person ended it, here or in the browser's own dialog. */
export const isGivenUp = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

/** How files are saved here. Starts the service worker, ahead of its first use. */
export const savingHere = async (): Promise<Saving> => savingWay((await mediaWorker()) !== null);

/** Of a save that can't be ended. */
const NEVER = new AbortController().signal;

interface SaveFileHandle extends FileSystemFileHandle {
  /** Of Chromium. */
  readonly remove?: () => Promise<void>;
}
declare global {
  /** Of Chromium; not in TypeScript's library. */
  var showSaveFilePicker: ((options: { suggestedName: string }) => Promise<SaveFileHandle>) | undefined;
}

/** @throws download.too_large_here, download.zip_too_large_here */
function refuseTooLarge(offer: Offer, { fileLimitBytes, zipLimitBytes }: Saving): void {
  if (!isZip(offer)) {
    if (fileLimitBytes === null || offer.sizeBytes <= fileLimitBytes) return;
    throw new AppError('download.too_large_here', { maxBytes: fileLimitBytes });
  }
  const storedBytes = offer.files.reduce((sum, { entry }) => sum + entry.metadata.size, 0);
  if (zipLimitBytes === null || storedBytes <= zipLimitBytes) return;
  throw new AppError('download.zip_too_large_here', { maxBytes: zipLimitBytes });
}

/**
 * Resolves once every byte of a file or zip has been handed over.
 * @returns whether it is known to be saved; else the page has offered to compare it
 * @throws AppError download.*, open.*; an AbortError when it was given up, also in the browser's own dialog
 */
export async function saveOpened<T extends Offer>(save: ToSave<T>): Promise<boolean> {
  const worker = await mediaWorker();
  const saving = savingWay(worker !== null);
  if (saving.way === 'picker') return saveAtPickedPlace(save);
  const { open, onReport, signal = NEVER } = save;
  const offer = await save.offer();
  signal.throwIfAborted();
  refuseTooLarge(offer, saving);
  let sizeBytes = isZip(offer) ? 0 : offer.sizeBytes;
  const see = (report: Delivery) => {
    sizeBytes = report.deliveredBytes;
    onReport?.(report);
  };
  let isSeen = isZip(offer);
  const seeUnlessShown = (report: Delivery) => {
    isSeen ||= report.state === 'waiting';
    if (isSeen) see(report);
  };
  const isDelivered =
    saving.way === 'worker' && worker !== null && (await deliver(worker, offer, { signal, onReport: seeUnlessShown }));
  if (isDelivered && saving.isTold) return true;
  if (!isDelivered) {
    refuseTooLarge(offer, savingWay(false, false));
    saveBlob(await collect(unitsOf(openedStream({ ...save, onReport: see }, offer)), '', () => {}), offer.name);
  }
  offerToCompare({ name: offer.name, sizeBytes, open: async (givenUp) => open(offer, givenUp) });
  return false;
}

/** Opens it in this page. It fails rather than end where a file has another size than it should. */
const openedStream = <T extends Offer>({ open, onReport, signal = NEVER }: ToSave<T>, offer: T) =>
  deliveryStream({
    open: (givenUp) => open(offer, givenUp),
    sizeBytes: isZip(offer) ? null : offer.sizeBytes,
    onDelivery: (report) => onReport?.(report),
    signal,
  });

async function* unitsOf(stream: ReadableStream<Bytes>): AsyncGenerator<readonly Bytes[]> {
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield [read.value];
}

/** Nothing is in the place before all is written, and nothing is left there of what failed. */
async function saveAtPickedPlace<T extends Offer>(save: ToSave<T>): Promise<boolean> {
  const place = await showSaveFilePicker?.({ suggestedName: save.name });
  if (!place) throw new AppError('download.failed');
  const isNew = (await place.getFile()).size === 0;
  try {
    const stream = openedStream(save, await save.offer());
    await stream.pipeTo(await place.createWritable());
    return true;
  } catch (error) {
    if (isNew) await place.remove?.().catch(() => {}); // the browser has made it when it was picked
    throw error;
  }
}
