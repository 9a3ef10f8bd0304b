import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { ErrorCode } from '@satchel/contract/errors';
import { MIB } from '@satchel/contract/limits';
import type { BlobWriter } from '../platform/blobs.ts';
import { type BodyEnd, createBodyBatches } from '../platform/body-batches.ts';
import { nextPace, PACE, PACE_AT_START, type PaceLimits } from './pace.ts';

// What a kill -9 or a dropped line may cost: what came in a second, or of a fast line this much, or a tenth of a second.
const CHECKPOINT_BYTES = 8 * MIB;
const CHECKPOINT_MS = 1000;
const CHECKPOINT_PAUSE_MS = 100;
/** A disk slower than the line holds the line up at this many bytes. */
const UNSYNCED_MAX_BYTES = 64 * MIB;
const RENEW_LEASE_MS = 5000;

/** Upload-Checksum, parsed. */
export interface Checksum {
  readonly algorithm: 'sha1' | 'sha256';
  readonly digest: Buffer;
}

export interface TransferInput {
  readonly body: Readable;
  readonly writer: BlobWriter;
  readonly offsetBytes: number;
  readonly lengthBytes: number;
  /** With one, nothing is acknowledged before all of the body is there and matches. */
  readonly checksum: Checksum | null;
  /** How slow the sender may be. */
  readonly pace?: PaceLimits;
  /** Moves the acknowledged offset, and renews the lease also when both are the same. Throws when the lease is lost. */
  readonly commit: (fromBytes: number, toBytes: number) => Promise<void>;
}

export interface TransferEnd {
  readonly end: BodyEnd;
  readonly writtenBytes: number;
  readonly checksumMatches: boolean;
  /** Why it was stopped, if it was. */
  readonly stoppedBy: { readonly code: ErrorCode; readonly keep: boolean } | null;
}

/** The bytes of one request on their way into a blob. */
export interface Transfer {
  /** Resolves when nothing more will be written, synced or committed; rejects with what went wrong doing so. */
  readonly ended: Promise<TransferEnd>;
  ackedBytes(): number;
  /** Resolves when no commit is under way. */
  settle(): Promise<void>;
  /** Ends it: `code` is what its request answers, `keep` whether bytes not yet acknowledged count. */
  stop(code: ErrorCode, keep: boolean): void;
}

/** Makes progress durable and commits it, one checkpoint at a time, beside the writing. */
function createCheckpoints({ writer, commit, offsetBytes }: TransferInput, onFailure: (error: unknown) => void) {
  let ackedBytes = offsetBytes;
  let committedAtMs = performance.now();
  let running: Promise<void> | null = null;

  async function commitTo(targetBytes: number): Promise<void> {
    if (targetBytes > ackedBytes) await writer.sync();
    await commit(ackedBytes, targetBytes);
    ackedBytes = targetBytes;
    committedAtMs = performance.now();
  }

  /** Begins a checkpoint when there is enough to acknowledge, or the lease wants renewing. */
  function offer(targetBytes: number): void {
    const newBytes = targetBytes - ackedBytes;
    const sinceMs = performance.now() - committedAtMs;
    const isMuch = newBytes >= CHECKPOINT_BYTES && sinceMs >= CHECKPOINT_PAUSE_MS;
    const isLate = sinceMs >= (newBytes > 0 ? CHECKPOINT_MS : RENEW_LEASE_MS);
    if (running || !(isMuch || isLate)) return;
    running = commitTo(targetBytes)
      .catch(onFailure)
      .finally(() => {
        running = null;
      });
  }

  return { offer, ackedBytes: () => ackedBytes, settle: async () => void (await running) };
}

/** Writes a body into a blob and commits, as it goes, how far it is durable. */
export function startTransfer(input: TransferInput): Transfer {
  const { writer, checksum, offsetBytes, lengthBytes, pace: limits = PACE } = input;
  const batches = createBodyBatches(input.body, lengthBytes - offsetBytes);
  const hash = checksum && createHash(checksum.algorithm);
  let writtenBytes = offsetBytes;
  let pace = PACE_AT_START;
  let stoppedBy: TransferEnd['stoppedBy'] = null;
  let failure: unknown = null;
  const checkpoints = createCheckpoints(input, (error) => {
    failure ??= error;
    batches.stop(false);
  });

  function stop(code: ErrorCode, keep: boolean): void {
    stoppedBy ??= { code, keep };
    batches.stop(keep);
  }

  /** Where the offset may move now. The last byte is committed by the completion alone: whole means stored. */
  const ackable = () => (checksum || writtenBytes === lengthBytes ? checkpoints.ackedBytes() : writtenBytes);

  async function take(batch: readonly Uint8Array[]): Promise<void> {
    if (batch.length > 0) {
      await writer.write(batch);
      for (const chunk of batch) {
        hash?.update(chunk);
        writtenBytes += chunk.length;
      }
    }
    if (stoppedBy?.keep !== false) checkpoints.offer(ackable());
    if (writtenBytes - checkpoints.ackedBytes() >= UNSYNCED_MAX_BYTES) await checkpoints.settle();
  }

  /** The next bytes. A sender who is too slow sends no more; what came of it counts. */
  async function next(): Promise<readonly Uint8Array[] | null> {
    const askedAtMs = performance.now();
    const batch = await batches.next();
    const bytes = batch?.reduce((sum, chunk) => sum + chunk.length, 0) ?? 0;
    pace = nextPace(pace, { waitedMs: performance.now() - askedAtMs, bytes }, limits);
    if (pace.isTooSlow && batches.end() === null) stop('upload.too_slow', true);
    return batch;
  }

  async function run(): Promise<TransferEnd> {
    try {
      for (let batch = await next(); batch; batch = await next()) await take(batch);
    } finally {
      batches.stop(false);
      await checkpoints.settle();
    }
    if (failure) throw failure;
    const checksumMatches = !checksum || hash?.digest().equals(checksum.digest) === true;
    return { end: batches.end() ?? 'stopped', writtenBytes, checksumMatches, stoppedBy };
  }

  return { ended: run(), ackedBytes: checkpoints.ackedBytes, settle: checkpoints.settle, stop };
}
