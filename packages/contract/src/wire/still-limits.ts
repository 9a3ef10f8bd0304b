import { KIB, MIB } from '../limits.ts';

/** Limits of stills, apart from the others: no page needs them before it has one. */

/** The longest still of each size as it is stored, sealed or not (docs/container.md §6). */
export const STILL_SMALL_MAX_BYTES = 16 * KIB;
export const STILL_LARGE_MAX_BYTES = 128 * KIB;
/** Files whose stills one request stores, and its longest body. */
export const STILLS_STORED_MAX = 32;
export const STILLS_BODY_MAX_BYTES = 2 * MIB;
/** Files whose stills one request reads: a screenful. */
export const STILLS_READ_MAX = 64;
