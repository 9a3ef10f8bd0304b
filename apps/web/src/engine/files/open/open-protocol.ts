import type { FileProof } from '@satchel/container/proof';
import type { WireError } from '@satchel/contract/errors';

/** Messages between the page and an open worker. */

export interface OpenRequest {
  readonly url: string;
  /** The file's name in messages. */
  readonly name: string;
  /** Which container it must be, and the key that opens it. The key is not extractable: a worker uses it, and can't read it. */
  readonly proof: FileProof;
}

export type OpenPhase = 'downloading' | 'decrypting';
export interface OpenProgress {
  readonly phase: OpenPhase;
  /** Whole percent of the plaintext that has been verified and opened. */
  readonly percent: number;
}

/** A file that has been verified from end to end. */
export interface OpenedContent {
  /** As the file's label says. */
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
