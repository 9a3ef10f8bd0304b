import type { SendEvent, UploadOrder } from '@satchel/client/send/order';
import type { Transfer } from '@satchel/client/send/transfer';
import type { WireError } from '@satchel/contract/errors';

/** Messages between a page and its upload workers. Errors cross in their wire form: a clone loses their class. */

export type ToWorker =
  | { readonly type: 'start'; readonly order: UploadOrder; readonly online: boolean; readonly mayUseSocket: boolean }
  | Parameters<Transfer['tell']>[0]
  | { readonly type: 'token'; readonly token: string }
  | { readonly type: 'no-token'; readonly error: WireError };

export type FromWorker =
  | SendEvent
  | { readonly type: 'error'; readonly error: WireError }
  /** Asks for the bearer; `renew` says that the server has refused the last one. */
  | { readonly type: 'ask-token'; readonly renew: boolean };
