import { KIB, MIB } from '@satchel/contract/limits';

/** Memory for the bytes of all bodies that wait to be written, or are being written. */
const ROOM_BYTES = 16 * MIB;
/** A body may always hold this much, so that a sender gets on however many others there are. */
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
 * Room that bodies share fairly: those that hold bytes may hold the same, in any order of arrival. What one holds above that
 * is not taken from it, and until it is written the others have what is left.
 */
export interface ReceiveRoom {
  enter(): Share;
}

export function createReceiveRoom(roomBytes = ROOM_BYTES): ReceiveRoom {
  let freeBytes = roomBytes;
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
          const fairBytes = roomBytes / (heldBytes > 0 ? holders : holders + 1);
          return Math.max(SHARE_MIN_BYTES, Math.min(SHARE_MAX_BYTES, fairBytes, heldBytes + freeBytes));
        },
        take: (bytes) => add(bytes),
        giveBack: (bytes) => add(-bytes),
      };
    },
  };
}
