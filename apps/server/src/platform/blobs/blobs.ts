import type { Writable } from 'node:stream';

/** Bytes from `start` up to but not including `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Appends to one blob. Calls of `write` follow each other; `sync` may run beside them. */
export interface BlobWriter {
  /** @throws storage.full */
  write(chunks: readonly Uint8Array[]): Promise<void>;
  /**
   * Makes durable what earlier calls of `write` have written.
   * @throws storage.full
   */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface BlobReader {
  readonly sizeBytes: number;
  /**
   * Writes a range of the blob into `sink`, at the sink's pace, and leaves it open. Memory is used again once the sink has
   * called back: it must be one that is done with a chunk by then, as a socket is.
   * @returns when the sink has taken every byte
   * @throws when the sink closes early or the blob ends early
   */
  send(range: ByteRange, sink: Writable): Promise<void>;
  close(): Promise<void>;
}

/** A blob as the store has it. */
export interface StoredBlob {
  readonly blob_key: string;
  readonly sizeBytes: number;
}

/** Where the bytes of files live. Blobs are named by UUIDs that the server makes (DESIGN §6). */
export interface BlobStore {
  /**
   * Makes an empty blob, durably.
   * @throws storage.full
   */
  create(blobKey: string): Promise<void>;
  /**
   * Opens a blob for writing at `offsetBytes` and forgets what lies beyond: bytes of a request that was cut before they
   * were acknowledged.
   * @throws BlobMissingError when it does not have that many bytes
   */
  append(blobKey: string, offsetBytes: number): Promise<BlobWriter>;
  /** @throws BlobMissingError */
  open(blobKey: string): Promise<BlobReader>;
  /** Removes a blob, durably; one that is not there counts as removed. */
  remove(blobKey: string): Promise<void>;
  /** The blobs whose names begin with these two characters: a small part of all, however many there are. */
  list(prefix: string): Promise<readonly StoredBlob[]>;
}

/** The store does not have the blob, or not all of it. */
export class BlobMissingError extends Error {
  override readonly name = 'BlobMissingError';
}
