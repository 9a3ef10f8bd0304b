import type { UploadEvent, UploadOrder } from '@satchel/client/send/order';
import type { Transfer } from '@satchel/client/send/transfer';
import type { WireError } from '@satchel/contract/errors';

/** Messages between a page and its upload workers. Errors cross in their wire form: a clone loses their class. */

export type ToWorker =
  | { readonly type: 'start'; readonly order: UploadOrder; readonly online: boolean; readonly mayUseSocket: boolean }
  | Parameters<Transfer['tell']>[0]
  | { readonly type: 'token'; readonly token: string }
  | { readonly type: 'no-token'; readonly error: WireError };

export type FromWorker =
  | Exclude<UploadEvent, { type: 'error' }>
  | { readonly type: 'error'; readonly error: WireError }
  /** Which entry of the log the worker holds from now on. */
  | { readonly type: 'opened'; readonly uploadId: string }
  /** Paused: no request is in flight, and the log is complete. */
  | { readonly type: 'idle' }
  /** Something on the way refuses the upload socket, and requests work. */
  | { readonly type: 'socket-refused' }
  /** Asks for the bearer; `renew` says that the server has refused the last one. */
  | { readonly type: 'ask-token'; readonly renew: boolean };
