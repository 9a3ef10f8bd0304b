import type { FolderKeys } from '@satchel/container/key';
import type { WireError } from '@satchel/contract/errors';

/** What the page and an open worker say to each other. */

export interface OpenRequest {
  readonly url: string;
  /** How the file is called in messages. */
  readonly name: string;
  /** `metadata.sealed` of the listing; null when the name is readable. */
  readonly sealed: string | null;
  /** Not extractable: the worker can use them and nobody can read them. */
  readonly keys: FolderKeys;
}

export type OpenPhase = 'downloading' | 'decrypting';
export interface OpenProgress {
  readonly phase: OpenPhase;
  /** Whole percent of the plaintext that has been verified and opened. */
  readonly percent: number;
}

/** A file that has been verified from end to end. */
export interface OpenedContent {
  /** The name in the file's own header, never the listing's (CONTAINER §2). */
  readonly name: string;
  /** A safe render type. */
  readonly type: string;
  readonly blob: Blob;
  readonly sizeBytes: number;
}

export type OpenReply =
  | { readonly type: 'progress'; readonly progress: OpenProgress }
  | { readonly type: 'opened'; readonly content: OpenedContent }
  | { readonly type: 'failed'; readonly error: WireError };
