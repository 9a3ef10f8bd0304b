import { KIB, MIB } from '../limits.ts';

/**
 * Sending the parts of sealed files to the store itself (docs/decisions/033): the server gives an address for each part,
 * which takes that content and no other, and acknowledges what it then finds in the store.
 */

/** Not part of PATHS, since only the upload worker calls it. */
export const DIRECT_UPLOAD_PATH = '/storage/v1/upload/direct';
/** In answers of tus to POST and HEAD: the parts of this upload may go to the store under the lease that it names. */
export const DIRECT_LEASE_HEADER = 'satchel-direct-lease';

/** Uploads below this go through the server. */
export const DIRECT_MIN_BYTES = 8 * MIB;
export const DIRECT_PART_MAX_BYTES = 8 * MIB;
/** Parts but the last one of an upload have at least this. */
export const DIRECT_PART_MIN_BYTES = MIB;
/** Addresses of one answer. */
export const DIRECT_ADDRESSES_MAX = 4;
/** Parts of one acknowledgement. */
export const DIRECT_COMMITTED_MAX = 16;
/** What one checksum of a part covers. */
export const DIRECT_BLOCK_BYTES = 64 * KIB;
export const DIRECT_SUM_BYTES = 4;

/** A part that a browser is about to send. */
export interface PartClaim {
  readonly start: number;
  readonly size_bytes: number;
  /** Of all of its bytes, in hex. */
  readonly sha256: string;
  /** Big-endian CRC-32 of each block, in Base64. */
  readonly crc32: string;
}

/** POST {id}/addresses */
export interface AddressesInput {
  readonly lease: number;
  readonly parts: readonly PartClaim[];
}

export interface PutAddress {
  /** By which the part is acknowledged. */
  readonly name: string;
  readonly url: string;
  /** What the PUT has to say. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Null: the rest of this upload goes through the server. */
export interface AddressesOutput {
  readonly parts: readonly PutAddress[] | null;
}

/** POST {id}/parts: these parts are in the store, in the order of their bytes. */
export interface PartsInput {
  readonly lease: number;
  readonly names: readonly string[];
}

/** All bytes before this offset are acknowledged: fewer than asked for where the store lacks a part. */
export interface PartsOutput {
  readonly offset_bytes: number;
}
