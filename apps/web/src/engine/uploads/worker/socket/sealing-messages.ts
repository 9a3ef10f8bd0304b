import type { FolderKeys } from '@satchel/container/key';
import type { WireError } from '@satchel/contract/errors';

/** Messages between the upload worker and its sealing worker. Errors cross in their wire form: a clone loses their class. */

type Bytes = Uint8Array<ArrayBuffer>;

export type ToSealing =
  /** The file, the container's header and the folder's keys; both null in a plain folder. */
  | { readonly type: 'open'; readonly file: Blob; readonly keys: FolderKeys | null; readonly prefix: Bytes | null }
  /** Makes the bytes from `start` up to `end` into `buffer`. */
  | { readonly type: 'make'; readonly start: number; readonly end: number; readonly buffer: ArrayBuffer };

export interface SealedChunkTag {
  readonly index: number;
  readonly tag: Bytes;
}

/** Answers come in the order of the questions. */
export type FromSealing =
  | { readonly type: 'made'; readonly buffer: ArrayBuffer; readonly tags: readonly SealedChunkTag[] }
  | { readonly type: 'failed'; readonly error: WireError };
