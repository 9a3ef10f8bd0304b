import type { Readable } from 'node:stream';
import { AppError } from '@satchel/contract/errors';
import { MIB } from '@satchel/contract/limits';
import { STILLS_BODY_MAX_BYTES } from '@satchel/contract/wire/still-limits';
import type { RateMinimum } from './minimum-rate.ts';
import { NOTHING, startTransfer, type Transfer, type TransferWriter } from './transfer.ts';

/** Receives bodies of stills into memory, within a limit for all of them, at the minimum rate of uploads. */

/** Memory for bodies that are received or being stored. */
const HELD_MAX_BYTES = 32 * MIB;
/** The same of one person. */
const HELD_MAX_BYTES_EACH = 8 * MIB;
const RETRY_AFTER_SECONDS = 5;

type Bytes = Uint8Array<ArrayBuffer>;

export interface StillBodies {
  /**
   * Takes memory for a body.
   * @returns call it when the body is not needed any more
   * @throws request.too_large, request.invalid without a length, request.too_many when this person's share of the
   * memory is taken, request.busy when all of it is, request.unavailable when the server stops
   */
  take(profileId: string, lengthBytes: number | null): () => void;
  /**
   * Receives a body whose memory is taken.
   * @throws request.invalid when it is shorter, upload.too_slow, request.unavailable when the server stops
   */
  receive(body: Readable, lengthBytes: number): Promise<Bytes>;
  /** Stops receiving. */
  close(): void;
}

/** Keeps what is written in one buffer. */
function createMemory(lengthBytes: number): { bytes: Bytes; writer: TransferWriter } {
  const bytes = new Uint8Array(lengthBytes);
  let at = 0;
  const write = async (chunks: readonly Uint8Array[]) => {
    for (const chunk of chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
  };
  return { bytes, writer: { write, sync: async () => [] } };
}

/** @param minimumRate the minimum rate of a sender */
export function createStillBodies(minimumRate: RateMinimum): StillBodies {
  const receiving = new Set<Transfer>();
  const heldBy = new Map<string, number>();
  let heldBytes = 0;
  let isClosing = false;

  function hold(profileId: string, bytes: number): void {
    heldBytes += bytes;
    const ofPerson = (heldBy.get(profileId) ?? 0) + bytes;
    if (ofPerson === 0) heldBy.delete(profileId);
    else heldBy.set(profileId, ofPerson);
  }

  return {
    take(profileId, lengthBytes) {
      if (isClosing) throw new AppError('request.unavailable');
      if (lengthBytes === null) throw new AppError('request.invalid', { message: 'Content-Length is missing' });
      if (lengthBytes > STILLS_BODY_MAX_BYTES) throw new AppError('request.too_large');
      const ofPerson = (heldBy.get(profileId) ?? 0) + lengthBytes;
      const wait = { retry_after_seconds: RETRY_AFTER_SECONDS };
      if (ofPerson > HELD_MAX_BYTES_EACH) throw new AppError('request.too_many', wait);
      if (heldBytes + lengthBytes > HELD_MAX_BYTES) throw new AppError('request.busy', wait);
      hold(profileId, lengthBytes);
      let isHeld = true;
      return () => {
        if (isHeld) hold(profileId, -lengthBytes);
        isHeld = false;
      };
    },
    async receive(body, lengthBytes) {
      const { bytes, writer } = createMemory(lengthBytes);
      const commit = async () => undefined;
      const transfer = startTransfer({
        body,
        checksum: null,
        minimumRate,
        writer,
        lengthBytes,
        from: NOTHING,
        commit,
      });
      receiving.add(transfer);
      try {
        const { stoppedBy, written } = await transfer.ended;
        if (stoppedBy) throw new AppError(stoppedBy.code);
        if (written.bytes < lengthBytes) throw new AppError('request.invalid', { message: 'the body is cut off' });
        return bytes;
      } finally {
        receiving.delete(transfer);
      }
    },
    close() {
      isClosing = true;
      for (const transfer of receiving) transfer.stop('request.unavailable', false);
    },
  };
}
