import { KIB, MIB } from '@satchel/contract/limits';

/** Memory for the bytes of all bodies that wait to be written, or are being written. */
const TOTAL_BYTES = 16 * MIB;
/** A body may always hold this much, so that a sender makes progress beside any number of others. */
const SHARE_MIN_BYTES = 64 * KIB;
const SHARE_MAX_BYTES = 8 * MIB;

/** The part of one body. */
export interface Share {
  /** How many bytes the body may hold now; with that many, its sender waits. */
  limitBytes(): number;
  take(bytes: number): void;
  giveBack(bytes: number): void;
}

/**
 * Memory that request bodies share fairly: each body that holds bytes may hold the same number. Bytes above a body's share
 * stay until they are written, and the other bodies share the rest.
 */
export interface ReceiveBuffers {
  enter(): Share;
}

export function createReceiveBuffers(totalBytes = TOTAL_BYTES): ReceiveBuffers {
  let freeBytes = totalBytes;
  let holders = 0;
  return {
    enter() {
      let heldBytes = 0;
      function add(bytes: number): void {
        const before = Number(heldBytes > 0);
        heldBytes += bytes;
        freeBytes -= bytes;
        holders += Number(heldBytes > 0) - before;
      }
      return {
        limitBytes() {
          const fairBytes = totalBytes / (heldBytes > 0 ? holders : holders + 1);
          return Math.max(SHARE_MIN_BYTES, Math.min(SHARE_MAX_BYTES, fairBytes, heldBytes + freeBytes));
        },
        take: (bytes) => add(bytes),
        giveBack: (bytes) => add(-bytes),
      };
    },
  };
}
