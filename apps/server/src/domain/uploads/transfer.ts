import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { ErrorCode } from '@satchel/contract/errors';
import { MIB } from '@satchel/contract/limits';
import type { BlobPart, BlobWriter } from '../../platform/blobs/blobs.ts';
import { type BodyEnd, createBodyBatches } from '../../platform/blobs/body-batches.ts';
import type { ReceiveRoom } from '../../platform/blobs/receive-room.ts';
import { MINIMUM_RATE, nextRate, RATE_AT_START, type RateMinimum } from './minimum-rate.ts';

// A kill -9 or a lost connection costs at most what was received in a second, or of a fast sender this many bytes, or a
// tenth of a second.
const CHECKPOINT_BYTES = 8 * MIB;
const CHECKPOINT_MS = 1000;
const CHECKPOINT_PAUSE_MS = 100;
// A sender that shares the server with many is far from 8 MiB in a second, and hears of its bytes all the same.
const CHECKPOINT_SOME_BYTES = MIB;
const CHECKPOINT_SOME_MS = 250;
/** When this many bytes are not synced, the sender waits for the disk. */
const UNSYNCED_MAX_BYTES = 64 * MIB;
const RENEW_LEASE_MS = 5000;

/** Upload-Checksum, parsed. */
export interface Checksum {
  readonly algorithm: 'sha1' | 'sha256';
  readonly digest: Buffer;
}

/** Where the bytes of a body go. */
export type TransferWriter = Pick<BlobWriter, 'write' | 'sync'>;

export interface TransferInput {
  readonly body: Readable;
  /** Called for each chunk of the body that is written and hashed: its bytes are not read again. */
  readonly onWritten?: ((chunk: Uint8Array) => void) | undefined;
  readonly writer: TransferWriter;
  /** Checkpoints of a slow sender are this far apart; a second where left out. */
  readonly checkpointMs?: number;
  readonly offsetBytes: number;
  readonly lengthBytes: number;
  /** With a checksum, no byte is acknowledged before the whole body is received and matches. */
  readonly checksum: Checksum | null;
  /** The minimum rate of the sender. */
  readonly minimumRate?: RateMinimum;
  /** Memory for its bytes, shared with other transfers; one of its own where left out. */
  readonly room?: ReceiveRoom;
  /**
   * Stores the acknowledged offset, and the parts that its bytes began. Renews the lease also when both offsets are equal.
   * Throws when the lease is lost.
   */
  readonly commit: (fromBytes: number, toBytes: number, parts: readonly BlobPart[]) => Promise<void>;
}

export interface TransferEnd {
  readonly end: BodyEnd;
  readonly writtenBytes: number;
  readonly checksumMatches: boolean;
  /** The reason of a stop, or null. */
  readonly stoppedBy: { readonly code: ErrorCode; readonly keep: boolean } | null;
}

/** One request whose body is being written into a blob. */
export interface Transfer {
  /** Resolves when all writes, syncs and commits have ended; rejects with their first failure. */
  readonly ended: Promise<TransferEnd>;
  ackedBytes(): number;
  /** Resolves when no commit is under way. */
  settle(): Promise<void>;
  /**
   * Ends the transfer: `code` is the answer of its request, `keep` whether bytes that are not acknowledged yet are
   * kept.
   */
  stop(code: ErrorCode, keep: boolean): void;
}

/** How long after the last checkpoint the next one begins, with so many bytes that are not acknowledged. */
function intervalMs(newBytes: number, checkpointMs: number): number {
  if (newBytes >= CHECKPOINT_BYTES) return CHECKPOINT_PAUSE_MS;
  if (newBytes >= CHECKPOINT_SOME_BYTES) return CHECKPOINT_SOME_MS;
  return newBytes > 0 ? checkpointMs : RENEW_LEASE_MS;
}

/**
 * Syncs and commits progress, one checkpoint at a time, while writing goes on. A timer begins those that are not due yet: a
 * sender that waits for its acknowledgement sends no more bytes.
 */
function createCheckpoints(input: TransferInput, onFailure: (error: unknown) => void) {
  const { writer, commit, offsetBytes, checkpointMs = CHECKPOINT_MS } = input;
  let ackedBytes = offsetBytes;
  let targetBytes = offsetBytes;
  let begunAtMs = performance.now();
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function commitTo(toBytes: number): Promise<void> {
    begunAtMs = performance.now();
    const parts = toBytes > ackedBytes ? await writer.sync(toBytes) : [];
    await commit(ackedBytes, toBytes, parts);
    ackedBytes = toBytes;
  }

  function fail(error: unknown): void {
    isClosed = true;
    onFailure(error);
  }

  /** Begins a checkpoint, or waits until it is due. */
  function plan(): void {
    clearTimeout(timer);
    if (running || isClosed) return;
    const waitMs = begunAtMs + intervalMs(targetBytes - ackedBytes, checkpointMs) - performance.now();
    if (waitMs > 0) {
      timer = setTimeout(plan, waitMs);
      return;
    }
    running = commitTo(targetBytes)
      .catch(fail)
      .finally(() => {
        running = null;
        plan();
      });
  }

  return {
    /** Tells up to where bytes are written and may be acknowledged. */
    offer(bytes: number): void {
      targetBytes = bytes;
      plan();
    },
    ackedBytes: () => ackedBytes,
    settle: async () => void (await running),
    /** Begins no further checkpoint. */
    close(): void {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** Writes a body into a blob, and commits the durable offset while doing so. */
export function startTransfer(input: TransferInput): Transfer {
  const { writer, checksum, offsetBytes, lengthBytes, minimumRate = MINIMUM_RATE } = input;
  const batches = createBodyBatches(input.body, lengthBytes - offsetBytes, input.room);
  const hash = checksum && createHash(checksum.algorithm);
  let writtenBytes = offsetBytes;
  let rate = RATE_AT_START;
  let stoppedBy: TransferEnd['stoppedBy'] = null;
  let failure: unknown = null;
  const checkpoints = createCheckpoints(input, (error) => {
    failure ??= error;
    batches.stop(false);
  });

  function stop(code: ErrorCode, keep: boolean): void {
    stoppedBy ??= { code, keep };
    if (!keep) checkpoints.close();
    batches.stop(keep);
  }

  /**
   * The offset that may be committed now. Only the completion commits the last byte: a complete offset means a stored
   * file.
   */
  // tus, PATCH: "The new offset MUST be the sum of the offset before the `PATCH` request and the number of bytes
  // received and processed or stored during the current `PATCH` request."
  const ackable = () => (checksum || writtenBytes === lengthBytes ? checkpoints.ackedBytes() : writtenBytes);

  async function take(batch: readonly Uint8Array[]): Promise<void> {
    if (batch.length > 0) {
      await writer.write(batch);
      for (const chunk of batch) {
        hash?.update(chunk);
        writtenBytes += chunk.length;
        input.onWritten?.(chunk);
      }
    }
    checkpoints.offer(ackable());
    if (writtenBytes - checkpoints.ackedBytes() >= UNSYNCED_MAX_BYTES) await checkpoints.settle();
  }

  /** The next bytes. A sender below the minimum rate is stopped; the bytes received so far are kept. */
  async function next(): Promise<readonly Uint8Array[] | null> {
    const askedAtMs = performance.now();
    const batch = await batches.next();
    const bytes = batch?.reduce((sum, chunk) => sum + chunk.length, 0) ?? 0;
    rate = nextRate(rate, { waitedMs: performance.now() - askedAtMs, bytes }, minimumRate);
    if (rate.isTooSlow && batches.end() === null) stop('upload.too_slow', true);
    return batch;
  }

  async function run(): Promise<TransferEnd> {
    try {
      for (let batch = await next(); batch; batch = await next()) await take(batch);
    } finally {
      batches.close();
      checkpoints.close();
      await checkpoints.settle();
    }
    if (failure) throw failure;
    const checksumMatches = !checksum || hash?.digest().equals(checksum.digest) === true;
    return { end: batches.end() ?? 'stopped', writtenBytes, checksumMatches, stoppedBy };
  }

  return { ended: run(), ackedBytes: checkpoints.ackedBytes, settle: checkpoints.settle, stop };
}
