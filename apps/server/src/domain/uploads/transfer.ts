import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import type { ErrorCode } from '@satchel/contract/errors';
import { MIB } from '@satchel/contract/limits';
import type { BlobPart, BlobWriter } from '../../platform/blobs/blobs.ts';
import { type BodyEnd, createBodyBatches } from '../../platform/blobs/body-batches.ts';
import type { ReceiveBuffers } from '../../platform/blobs/receive-buffers.ts';
import { MINIMUM_RATE, nextRate, RATE_AT_START, type RateMinimum } from './minimum-rate.ts';

// A kill -9 or a lost connection costs at most what was received in a second, or of a fast sender this many bytes, or a
// tenth of a second.
const CHECKPOINT_BYTES = 8 * MIB;
const CHECKPOINT_MS = 1000;
const CHECKPOINT_PAUSE_MS = 100;
// The page stops at 24 MiB: with the pause alone it would send no more than these in a tenth of a second.
const CHECKPOINT_MANY_BYTES = 16 * MIB;
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

/** How far an upload has come. */
export interface Reached {
  readonly bytes: number;
  /** The CRC-32 of all bytes up to there, which the next request or process continues (docs/decisions/032). */
  readonly sum: number;
}

/** An upload that has no bytes yet. */
export const NOTHING: Reached = { bytes: 0, sum: 0 };

/** What is acknowledged by a checkpoint. */
export interface Progressed extends Reached {
  /** The parts that the new bytes began. */
  readonly parts: readonly BlobPart[];
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
  /** Where the body begins in the blob. */
  readonly from: Reached;
  readonly lengthBytes: number;
  /** With a checksum, no byte is acknowledged before the whole body is received and matches. */
  readonly checksum: Checksum | null;
  /** The minimum rate of the sender. */
  readonly minimumRate?: RateMinimum;
  /** Memory for its bytes, shared with other transfers; one of its own where left out. */
  readonly buffers?: ReceiveBuffers;
  /**
   * Stores what is acknowledged now. Renews the lease also when no bytes are new. Throws when the lease is lost.
   */
  readonly commit: (fromBytes: number, to: Progressed) => Promise<void>;
}

export interface TransferEnd {
  readonly end: BodyEnd;
  readonly written: Reached;
  readonly checksumMatches: boolean;
  /** The reason of a stop, or null. */
  readonly stoppedBy: { readonly code: ErrorCode; readonly keep: boolean } | null;
}

/** One request whose body is being written into a blob. */
export interface Transfer {
  /** Resolves when all writes, syncs and commits have ended; rejects with their first failure. */
  readonly ended: Promise<TransferEnd>;
  acked(): Reached;
  /** Resolves when no commit is under way. */
  settle(): Promise<void>;
  /**
   * Ends the transfer: `code` is the answer of its request, `keep` whether bytes that are not acknowledged yet are
   * kept.
   */
  stop(code: ErrorCode, keep: boolean): void;
}

/** How long after the last checkpoint the next one begins, by the number of bytes that are not acknowledged. */
function intervalMs(newBytes: number, checkpointMs: number): number {
  if (newBytes >= CHECKPOINT_MANY_BYTES) return 0;
  if (newBytes >= CHECKPOINT_BYTES) return CHECKPOINT_PAUSE_MS;
  if (newBytes >= CHECKPOINT_SOME_BYTES) return CHECKPOINT_SOME_MS;
  return newBytes > 0 ? checkpointMs : RENEW_LEASE_MS;
}

/**
 * Syncs and commits progress, one checkpoint at a time, while writing continues. A timer begins the ones that are not due yet: a
 * sender that waits for its acknowledgement sends no more bytes.
 */
function createCheckpoints(input: TransferInput, sumNow: () => number, onFailure: (error: unknown) => void) {
  const { writer, commit, checkpointMs = CHECKPOINT_MS } = input;
  let acked = input.from;
  let targetBytes = acked.bytes;
  let begunAtMs = performance.now();
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  /** Begins while all bytes up to there, and no others, are written. */
  async function commitTo(bytes: number): Promise<void> {
    begunAtMs = performance.now();
    const to = bytes > acked.bytes ? { bytes, sum: sumNow() } : acked;
    const parts = to.bytes > acked.bytes ? await writer.sync(to.bytes) : [];
    await commit(acked.bytes, { ...to, parts });
    acked = to;
  }

  function fail(error: unknown): void {
    isClosed = true;
    onFailure(error);
  }

  /** Begins a checkpoint, or waits until it is due. */
  function plan(): void {
    clearTimeout(timer);
    if (running || isClosed) return;
    const waitMs = begunAtMs + intervalMs(targetBytes - acked.bytes, checkpointMs) - performance.now();
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
    acked: () => acked,
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
  const { writer, checksum, from, lengthBytes, minimumRate = MINIMUM_RATE } = input;
  const batches = createBodyBatches(input.body, lengthBytes - from.bytes, input.buffers);
  const hash = checksum && createHash(checksum.algorithm);
  let written = from;
  let rate = RATE_AT_START;
  let stoppedBy: TransferEnd['stoppedBy'] = null;
  let failure: unknown = null;
  const checkpoints = createCheckpoints(
    input,
    () => written.sum,
    (error) => {
      failure ??= error;
      batches.stop(false);
    },
  );

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
  const ackable = () => (checksum || written.bytes === lengthBytes ? checkpoints.acked().bytes : written.bytes);

  async function take(batch: readonly Uint8Array[]): Promise<void> {
    if (batch.length > 0) {
      await writer.write(batch);
      for (const chunk of batch) {
        hash?.update(chunk);
        written = { bytes: written.bytes + chunk.length, sum: crc32(chunk, written.sum) };
        input.onWritten?.(chunk);
      }
    }
    checkpoints.offer(ackable());
    if (written.bytes - checkpoints.acked().bytes >= UNSYNCED_MAX_BYTES) await checkpoints.settle();
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
    return { end: batches.end() ?? 'stopped', written, checksumMatches, stoppedBy };
  }

  return { ended: run(), acked: checkpoints.acked, settle: checkpoints.settle, stop };
}
