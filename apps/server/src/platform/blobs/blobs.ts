import type { Writable } from 'node:stream';
import type { PartAddress } from '@satchel/contract/wire/direct-reads';

/** Bytes from `start` up to but not including `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * A part of a blob: its bytes from `start` up to the start of the next part, or to the end of the blob. Nothing ever
 * changes bytes of a part that an upload has acknowledged.
 */
export interface BlobPart {
  readonly start: number;
  /** Made by the store, and good for its own use only. */
  readonly name: string;
}

/** The part of a blob that no row of the database names: it begins at 0. */
export const WHOLE = 'whole';

/**
 * A blob, and what it consists of: parts in the order of their starts. Only the database knows, as the table `blob_parts`
 * says; what lies before the first of them is in the part WHOLE.
 */
export interface BlobParts {
  readonly blobKey: string;
  readonly parts: readonly BlobPart[];
}

/** A blob that was stored in one piece. */
export const wholeBlob = (blobKey: string): BlobParts => ({ blobKey, parts: [] });

/** All parts of a blob. */
export const partsOf = ({ parts }: BlobParts): readonly BlobPart[] =>
  parts[0]?.start === 0 ? parts : [{ start: 0, name: WHOLE }, ...parts];

/** Writes bytes that follow each other. Calls of `write` are sequential; `sync` may run beside them. */
export interface BlobWriter {
  /**
   * Takes the next bytes; their memory may be reused once this resolves.
   * @throws storage.full
   */
  write(chunks: readonly Uint8Array[]): Promise<void>;
  /**
   * Makes the blob's bytes up to `toBytes` durable, all of which have been written.
   * @returns the parts that began before `toBytes` and that no earlier call returned: they need rows, in the transaction
   * that acknowledges the bytes
   * @throws storage.full
   */
  sync(toBytes: number): Promise<readonly BlobPart[]>;
  /** Gives up what was written beyond `fromBytes`, which nothing acknowledged and nothing will. */
  discard(fromBytes: number): Promise<void>;
  close(): Promise<void>;
}

export interface BlobReader {
  /**
   * Writes a range of the blob into `sink`, as fast as the sink takes it, and leaves the sink open. Buffers are reused once
   * the sink has called back: it must be done with a chunk by then, as a socket is.
   * @returns once the sink has taken every byte
   * @throws when the sink closes early or a part lacks bytes
   */
  send(range: ByteRange, sink: Writable): Promise<void>;
  /**
   * Reads a short range into memory.
   * @throws BlobMissingError when a part lacks bytes
   */
  read(range: ByteRange): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** When addresses begin to be valid, and for how long. */
export interface Validity {
  readonly now: Date;
  readonly seconds: number;
}

/** A store whose objects browsers read by addresses that expire. */
export interface DirectStore {
  /** What all addresses begin with; ends with a slash. */
  readonly baseUrl: string;
  /** The parts that hold a range of a blob, from its start on. */
  addressesOf(blob: BlobParts, sizeBytes: number, range: ByteRange, valid: Validity): Promise<readonly PartAddress[]>;
  /**
   * Asks the store as a browser does before it fetches.
   * @param pageOrigin of the site
   * @returns why its pages may not read, or null
   */
  problem(pageOrigin: string): Promise<string | null>;
}

/** The first two characters of blob keys, by which what is too much at once is listed. */
export const PREFIXES: readonly string[] = Array.from({ length: 256 }, (_, index) =>
  index.toString(16).padStart(2, '0'),
);

/** A part as it is stored. */
export interface StoredPart {
  readonly blob_key: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly ageMs: number;
}

/** Where a writer begins. */
export interface Append {
  readonly blobKey: string;
  /** Each writer of a blob has another one, so that no two of them write into the same part. */
  readonly epoch: number;
  readonly offsetBytes: number;
  /** The last part of what is acknowledged; counts for an offset above 0. */
  readonly last: BlobPart;
}

/**
 * Stores the bytes of files as blobs, named by UUIDs that the server makes. A blob consists of immutable
 * parts. `conformance.ts` says what a store must do.
 */
export interface BlobStore {
  /** True for a disk of this machine, which one process at a time may write; other stores are shared by all nodes. */
  readonly isLocal: boolean;
  /** A sender's bytes are made durable at least this often, while any come. */
  readonly checkpointMs: number;
  /**
   * Creates a blob with all of its bytes, durably, as its part WHOLE.
   * @throws storage.full
   */
  put(blobKey: string, chunks: readonly Uint8Array[]): Promise<void>;
  /**
   * Begins to write at an offset, into parts that no other writer writes, ever.
   * @throws BlobMissingError when acknowledged bytes are found missing
   */
  append(where: Append): Promise<BlobWriter>;
  /**
   * @param sizeBytes the size of the blob
   * @throws BlobMissingError when bytes are found missing
   */
  open(blob: BlobParts, sizeBytes: number): Promise<BlobReader>;
  /**
   * Deletes blobs with all of their parts, durably; does nothing for what does not exist.
   * @returns reasons of failed deletions, by key
   */
  delete(blobs: readonly BlobParts[]): Promise<ReadonlyMap<string, unknown>>;
  /** Deletes parts that belong to no blob. */
  deleteParts(parts: readonly Pick<StoredPart, 'blob_key' | 'name'>[]): Promise<void>;
  /**
   * The file that holds a blob and nothing else, to which a backup may link; null for a blob of several parts. Stores
   * without files of their own leave this out.
   */
  fileOf?(blob: BlobParts): string | null;
  /** What browsers read by themselves. Stores that they can't reach leave this out. */
  direct?(): Promise<DirectStore>;
  /** The stored parts of blobs whose names begin so: with two characters, a small part of all; with '', all. */
  list(prefix: string): AsyncIterable<StoredPart>;
}

/** The blob does not exist or lacks bytes. */
export class BlobMissingError extends Error {
  override readonly name = 'BlobMissingError';
}

/** A store that can't be used as the settings name it. The message is one line. */
export class BlobStoreError extends Error {
  override readonly name = 'BlobStoreError';
}
