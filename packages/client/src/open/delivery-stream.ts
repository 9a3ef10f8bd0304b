import type { Bytes } from '@satchel/container/format';
import { AppError, type WireError } from '@satchel/contract/errors';
import { watchStandstill } from './standstill.ts';

/** Which file of a zip is being packed, counted from 0, and how many of its plaintext bytes are. */
export interface ZipPlace {
  readonly index: number;
  readonly fileBytes: number;
}

/** Opened bytes, in the order in which they leave. */
export interface Opened {
  /** Throws errors of the catalogue only, unless it was given up. */
  readonly units: AsyncGenerator<readonly Bytes[]>;
  /** Of a zip: the file that the last unit belongs to, or that failed. */
  readonly place?: () => ZipPlace | undefined;
}

/** Progress of a file that is delivered. */
export interface Delivery {
  /** `waiting`: the reader wants bytes, and none have come for long. It then is `active` again, or at its end. */
  readonly state: 'active' | 'waiting' | 'done' | 'cancelled' | 'failed';
  readonly deliveredBytes: number;
  readonly error: WireError | null;
  /** Of zips only. */
  readonly place?: ZipPlace;
}

/** Whether nothing more is delivered. */
export const isOver = ({ state }: Pick<Delivery, 'state'>): boolean => state !== 'active' && state !== 'waiting';

export interface DeliveryStreamDeps {
  /** Called at the first pull. */
  readonly open: (signal: AbortSignal) => Opened;
  /** Null for a zip: only its end tells how many bytes it has. */
  readonly sizeBytes: number | null;
  /** Called as the reader takes bytes, and once at the end. */
  readonly onDelivery: (delivery: Delivery) => void;
  /** Aborted to give the delivery up: the stream then fails. */
  readonly signal?: AbortSignal | undefined;
  /** Called with what the reader has taken and copied. */
  readonly release?: ((chunk: Bytes) => void) | undefined;
}

/**
 * Opened bytes as a stream. Nothing is fetched before the first pull, and each pull takes one unit, so that a slow reader
 * holds up the server instead of filling memory. Any failure errors the stream: a cut file must never look finished.
 */
export function deliveryStream(deps: DeliveryStreamDeps): ReadableStream<Bytes> {
  const { open, sizeBytes, onDelivery, signal, release } = deps;
  const giveUp = new AbortController();
  let opened: Opened | null = null;
  let deliveredBytes = 0;
  let hasEnded = false;
  let given: readonly Bytes[] = [];

  function report(state: Delivery['state'], error: AppError | null = null): void {
    const place = opened?.place?.();
    onDelivery({ state, deliveredBytes, error: error?.toWire() ?? null, ...(place ? { place } : {}) });
  }

  function end(state: Delivery['state'], error: AppError | null = null): void {
    hasEnded = true;
    report(state, error);
    giveUp.abort();
    opened?.units.return(undefined).catch(() => {}); // what it fetched was given up, and says so
  }

  async function pull(controller: ReadableStreamDefaultController<Bytes>): Promise<void> {
    // Nothing is queued ahead of the reader (a high-water mark of 0): it asks for more once it has copied what it got.
    if (release) for (const chunk of given) release(chunk);
    given = [];
    opened ??= open(giveUp.signal);
    const watch = watchStandstill(() => hasEnded || report('waiting'));
    const { value, done } = await opened.units.next().finally(watch.stop);
    if (hasEnded) return;
    if (!done) {
      for (const chunk of value) {
        deliveredBytes += chunk.length;
        controller.enqueue(chunk);
      }
      given = value;
      return report('active');
    }
    if (sizeBytes !== null && deliveredBytes !== sizeBytes) throw new AppError('open.size_mismatch');
    controller.close();
    end('done');
  }

  function fail(controller: ReadableStreamDefaultController<Bytes>, error: unknown): void {
    if (hasEnded) return;
    const failure = error instanceof AppError ? error : new AppError('open.failed', {}, { cause: error });
    end('failed', failure);
    controller.error(failure);
  }

  /** A reader that has every byte may cancel before the end. */
  function stop(controller?: ReadableStreamDefaultController<Bytes>): void {
    if (hasEnded) return;
    end(deliveredBytes === sizeBytes ? 'done' : 'cancelled');
    controller?.error(signal?.reason);
  }

  return new ReadableStream<Bytes>(
    {
      start: (controller) => signal?.addEventListener('abort', () => stop(controller)),
      pull: (controller) => pull(controller).catch((error: unknown) => fail(controller, error)),
      // Once it is cancelled: a service worker of WebKit runs nothing any more if a pull is given up within the call of `cancel`.
      cancel: () => Promise.resolve().then(() => stop()),
    },
    { highWaterMark: 0 },
  );
}
