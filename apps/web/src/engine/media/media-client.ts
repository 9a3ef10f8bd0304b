import type { Delivery } from '@satchel/client/open/delivery-stream';
import { OPENING_DELAYS_MS } from '@satchel/client/open/fetch-stored';
import { type MediaEntry, type MediaRequest, readMediaEntry } from '@satchel/client/open/media-entry';
import { isPlayable } from '@satchel/client/open/render-type';
import { pause } from '@satchel/client/pause';
import { AppError, fromWire } from '@satchel/contract/errors';
import { saveNavigating } from '../../lib/browser/save-link.ts';
import type { OpenedFile } from '../files/open/open-client.ts';
import { PAGE_LINE } from '../files/page-line.ts';
import { type DeliveryWatch, nextWatch, startWatch } from './delivery-watch.ts';
import { downloadPath, isZip, mediaPath, type Offer } from './media-protocol.ts';
import { cancelDelivery, mediaWorker, offerEntry, pingDelivery, withdrawEntry } from './service-worker-link.ts';

/** Playing and saving sealed files through the service worker (docs/decisions/023). */

const PING_MS = 10_000;

export interface StreamRequest extends MediaRequest {
  /** A range of the file turned out to be damaged, or could not be fetched. */
  readonly onFailure?: (error: AppError) => void;
}

/** How this page reads the heads and ranges of files. */
export const READING = {
  ...PAGE_LINE,
  origin: globalThis.location?.origin,
  retryDelaysMs: OPENING_DELAYS_MS,
};

const failureOf = ({ error }: Delivery): AppError => fromWire(error) ?? new AppError('open.failed');

/**
 * A file shown without opening it whole: an address that plays for video and audio, else name, type and size alone. Null
 * where there is no service worker to play from.
 * @throws AppError download.file_failed, open.*
 */
export async function streamOpened({ onFailure, ...request }: StreamRequest): Promise<OpenedFile | null> {
  const entry = await readMediaEntry(request, READING);
  const opened: OpenedFile = { ...entryLabel(entry), blob: null, objectUrl: null };
  if (!isPlayable(entry.type)) return opened;
  const worker = await mediaWorker();
  if (worker === null) return null;
  const id = await offerEntry(worker, entry, (delivery) => {
    if (delivery.state === 'failed') onFailure?.(failureOf(delivery));
  });
  return id === null ? null : { ...opened, objectUrl: mediaPath(id) };
}

const entryLabel = ({ name, type, sizeBytes }: MediaEntry) => ({ name, type, sizeBytes });

/** Releases an address that {@link streamOpened} returned. */
export function releaseStream(objectUrl: string): void {
  const [, id] = /^\/media\/([\w-]+)$/.exec(objectUrl) ?? [];
  if (id !== undefined) withdrawEntry(id);
}

/** Ends when the download that was started last has begun: a second navigation would cancel one that has not. */
let lastBegin: Promise<unknown> = Promise.resolve();
const BEGIN_WAIT_MS = 5000;

export interface DeliverOptions {
  /** Called with each report, which come often of a zip, and seldom of a file that does not stand still. */
  readonly onReport?: (report: Delivery) => void;
  /** Ends the download. */
  readonly signal?: AbortSignal;
}

/** How often the worker is asked for a zip: of a file, the browser itself shows how far it is. */
const ZIP_PING_MS = 400;

/**
 * Saves a file or a zip through the worker and sees it through to its end. False when the worker did not take it.
 * @throws AppError open.*, download.cut_short or download.zip_cut when not every byte arrived, download.failed when it did not begin;
 * the signal's reason when given up
 */
export async function deliver(
  worker: ServiceWorker,
  offer: Offer,
  { onReport, signal }: DeliverOptions = {},
): Promise<boolean> {
  signal?.throwIfAborted();
  const arrival = Promise.withResolvers<void>();
  const begin = Promise.withResolvers<void>();
  const file = isZip(offer) ? { name: offer.name, sizeBytes: null } : offer;
  let startedMs = performance.now();
  let watch: DeliveryWatch = startWatch();
  const see = (report: Delivery | null) => {
    watch = nextWatch(watch, report, performance.now() - startedMs, file);
    if (watch.begun) begin.resolve();
    if (report !== null) onReport?.(report);
    if (watch.outcome === 'done') arrival.resolve();
    else if (watch.outcome !== 'open') arrival.reject(watch.outcome);
  };
  const id = await offerEntry(worker, offer, see);
  if (id === null) return false;
  const giveUp = () => {
    cancelDelivery(id);
    arrival.reject(signal?.reason);
  };
  signal?.addEventListener('abort', giveUp, { once: true });
  // Given up while the worker was still accepting the offer.
  if (signal?.aborted) giveUp();
  const before = lastBegin;
  lastBegin = before.then(() => Promise.race([begin.promise, arrival.promise.catch(() => {}), pause(BEGIN_WAIT_MS)]));
  await before;
  startedMs = performance.now();
  if (!signal?.aborted) saveNavigating(downloadPath(id));
  const ask = async () => {
    const report = await pingDelivery(id);
    if (report !== undefined) see(report);
  };
  const timer = setInterval(ask, isZip(offer) ? ZIP_PING_MS : PING_MS);
  addEventListener('beforeunload', askToStay);
  try {
    await arrival.promise;
  } finally {
    clearInterval(timer);
    removeEventListener('beforeunload', askToStay);
    signal?.removeEventListener('abort', giveUp);
    withdrawEntry(id);
  }
  return true;
}

/** The page keeps the worker alive: with it gone, the browser may cut the file and show it as finished. */
const askToStay = (event: BeforeUnloadEvent): void => event.preventDefault();
