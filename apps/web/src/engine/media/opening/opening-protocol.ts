import type { ZipPlace } from '@satchel/client/open/delivery-stream';
import type { Bytes } from '@satchel/container/format';
import type { WireError } from '@satchel/contract/errors';
import type { Offer } from '../media-protocol.ts';

/**
 * Messages of the opening worker. The page starts it and gives it each offer with a port, whose other end goes to the
 * service worker with the same offer. There the service worker asks for ranges, each with its own port, on which the
 * opened bytes come, no more of them than it has given credit for.
 */

/** Units that may be on their way to the service worker, or wait there for the reader; each is about 768 KiB. */
export const CREDITS = 4;

/** From the page, with the offer's port. */
export interface OpeningOrder {
  readonly offer: Offer;
}

/** To the service worker, on an offer's port. */
export interface OpeningReady {
  /** The worker holds the lock of this name for as long as it lives: who is granted it knows that the worker is gone. */
  readonly lock: string;
}

/** From the service worker, on an offer's port; `open` comes with the port for the bytes. */
export type OpeningRequest =
  | {
      readonly type: 'open';
      readonly start: number;
      /** Null for a zip, whose end is not known before. */
      readonly end: number | null;
    }
  /** The offer has ended. */
  | { readonly type: 'close' };

/** From the opening worker, on the port of one range. */
export type OpeningReply =
  | { readonly type: 'unit'; readonly chunks: readonly Bytes[]; readonly place?: ZipPlace }
  | { readonly type: 'end' }
  | { readonly type: 'failed'; readonly error: WireError; readonly place?: ZipPlace };

/** From the service worker, on the port of one range: one more unit may come, or none. */
export type OpeningCredit = 'credit' | 'stop';
