import type { Ingredients, Made } from '@satchel/client/send/bytes/window-maker';
import type { WireError } from '@satchel/contract/errors';

/** Messages between the upload worker and its sealing worker. Errors cross in their wire form: a clone loses their class. */

export type ToSealing =
  | ({ readonly type: 'open' } & Ingredients)
  /** Makes the bytes from `start` up to `end` into `buffer`. */
  | { readonly type: 'make'; readonly start: number; readonly end: number; readonly buffer: ArrayBuffer };

/** Answers come in the order of the questions. */
export type FromSealing = ({ readonly type: 'made' } & Made) | { readonly type: 'failed'; readonly error: WireError };
