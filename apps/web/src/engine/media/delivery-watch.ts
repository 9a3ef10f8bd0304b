import { type Delivery, isOver } from '@satchel/client/open/delivery-stream';
import { AppError, fromWire } from '@satchel/contract/errors';

/** Whether a download that left through the service worker has arrived whole. */

export interface DeliveryWatch {
  /** The worker has begun to hand the file out. */
  readonly begun: boolean;
  readonly deliveredBytes: number;
  readonly outcome: 'open' | 'done' | AppError;
}

export interface DeliveredFile {
  readonly name: string;
  /** Null for a zip: only when it ends is it known how large it is. */
  readonly sizeBytes: number | null;
}

/** The browser may ask its user before it begins; after this long it has not begun at all. */
export const BEGIN_WITHIN_MS = 60_000;

export const startWatch = (): DeliveryWatch => ({ begun: false, deliveredBytes: 0, outcome: 'open' });

/**
 * The next state of a watch.
 * @param report the worker's report; null when the worker does not know the download: not begun, or the browser ended the
 * worker in the middle and will show the cut file as finished
 * @param elapsedMs since the download was asked for
 */
export function nextWatch(
  watch: DeliveryWatch,
  report: Delivery | null,
  elapsedMs: number,
  file: DeliveredFile,
): DeliveryWatch {
  if (watch.outcome !== 'open') return watch;
  if (report === null) {
    if (watch.begun) return { ...watch, outcome: cutShort(file, watch.deliveredBytes) };
    return elapsedMs > BEGIN_WITHIN_MS ? { ...watch, outcome: new AppError('download.failed') } : watch;
  }
  const { state, deliveredBytes, error } = report;
  if (!isOver(report)) return { begun: true, deliveredBytes, outcome: 'open' };
  if (state === 'failed') {
    return { begun: true, deliveredBytes, outcome: fromWire(error) ?? cutShort(file, deliveredBytes) };
  }
  const whole = state === 'done' && (file.sizeBytes === null || deliveredBytes === file.sizeBytes);
  return { begun: true, deliveredBytes, outcome: whole ? 'done' : cutShort(file, deliveredBytes) };
}

const cutShort = ({ name, sizeBytes }: DeliveredFile, deliveredBytes: number): AppError =>
  sizeBytes === null
    ? new AppError('download.zip_cut')
    : new AppError('download.cut_short', { name, deliveredBytes, sizeBytes });
