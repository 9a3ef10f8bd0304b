import type { MadeStill } from './encode-still.ts';
import type { StillKind } from './still-kind.ts';

/** Messages between a page and the worker that makes stills. An order brings the port to answer on. */

export interface StillOrder {
  readonly kind: Exclude<StillKind, 'film'>;
  readonly file: Blob;
}

/** Null when the file can't be drawn. */
export type StillReply = MadeStill | null;
