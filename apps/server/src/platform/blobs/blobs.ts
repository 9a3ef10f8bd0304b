import type { Writable } from 'node:stream';

/** Bytes from `start` up to but not including `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Appends to one blob. Calls of `write` are sequential; `sync` may run beside them. */
export interface BlobWriter {
  /** @throws storage.full */
  write(chunks: readonly Uint8Array[]): Promise<void>;
  /**
   * Makes the bytes of earlier calls of `write` durable.
   * @throws storage.full
   */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface BlobReader {
  readonly sizeBytes: number;
  /**
   * Writes a range of the blob into `sink`, as fast as the sink takes it, and leaves the sink open. Buffers are reused once
   * the sink has called back: it must be done with a chunk by then, as a socket is.
   * @returns once the sink has taken every byte
   * @throws when the sink closes early or the blob ends early
   */
  send(range: ByteRange, sink: Writable): Promise<void>;
  /**
   * Reads a short range into memory.
   * @throws BlobMissingError when the blob ends early
   */
  read(range: ByteRange): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** A blob with its stored size. */
export interface StoredBlob {
  readonly blob_key: string;
  readonly sizeBytes: number;
}

/** Stores the bytes of files as blobs, named by UUIDs that the server makes (DESIGN §6). */
export interface BlobStore {
  /**
   * Creates an empty blob, durably.
   * @throws storage.full
   */
  create(blobKey: string): Promise<void>;
  /**
   * Creates a blob with all of its bytes, durably.
   * @throws storage.full
   */
  put(blobKey: string, chunks: readonly Uint8Array[]): Promise<void>;
  /**
   * Opens a blob for writing at `offsetBytes` and truncates the bytes beyond, which were never acknowledged.
   * @throws BlobMissingError when the blob has fewer bytes
   */
  append(blobKey: string, offsetBytes: number): Promise<BlobWriter>;
  /** @throws BlobMissingError */
  open(blobKey: string): Promise<BlobReader>;
  /** Deletes a blob, durably; does nothing for a blob that does not exist. */
  delete(blobKey: string): Promise<void>;
  /** The blobs whose names begin with these two characters: a small part of all. */
  list(prefix: string): Promise<readonly StoredBlob[]>;
}

/** The blob does not exist or lacks bytes. */
export class BlobMissingError extends Error {
  override readonly name = 'BlobMissingError';
}
