import { stillMaxBytes } from '@satchel/container/still';

/** Bounds of what a still is made from and of what it becomes. */

/** A photograph of 64 megapixels takes 256 MB while it is decoded. */
export const PIXELS_MAX = 64 * 1000 ** 2;

/**
 * The largest pictures that fit the contract's limits once they are padded and sealed. A still of a plain folder could be a little
 * larger: it isn't sealed.
 */
export const STILL_BOUNDS = {
  small: { edgePx: 96, maxBytes: stillMaxBytes('small') },
  large: { edgePx: 480, maxBytes: stillMaxBytes('large') },
} as const;
