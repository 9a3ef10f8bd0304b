import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, type ErrorCode } from '@satchel/contract/errors';
import { BlobMissingError, type BlobWriter } from '../../platform/blobs/blobs.ts';
import { createReceiveBuffers } from '../../platform/blobs/receive-buffers.ts';
import { commitOffset, type Lease, type Progress, type TakenUpload, takeLease, type UploadRow } from './leases.ts';
import type { RateMinimum } from './minimum-rate.ts';
import {
  type Checksum,
  type Progressed,
  type Reached,
  startTransfer,
  type Transfer,
  type TransferEnd,
} from './transfer.ts';
import { completeUpload, deleteUpload, terminateUpload, type UploadDeps } from './uploads.ts';

/** How long a newer request waits for the commit of an older one before it answers 423. */
const HANDOVER_MS = 10_000;
/** After these errors, bytes beyond the acknowledged offset only take up space. */
const USELESS_BYTES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['storage.full', 'upload.checksum_mismatch']);

export interface ReceiverDeps extends UploadDeps {
  /** Called for each upload that has become a file. */
  readonly onCompleted: (folderId: string) => void;
}

export interface AppendInput {
  readonly id: string;
  readonly profileId: string;
  /** The session of the sender; the upload ends with it. */
  readonly sessionId: string;
  readonly offsetBytes: number;
  readonly body: Readable;
  /** Called for each chunk of the body whose bytes are not read again. */
  readonly onWritten?: (chunk: Uint8Array) => void;
  /** Content-Length, or null when the sender does not send it. */
  readonly bodyBytes: number | null;
  readonly checksum: Checksum | null;
  /** Called before the first byte is read, with how many bytes the upload still lacks. */
  readonly onBegun?: (missingBytes: number) => void;
  /** Called after each checkpoint but the last one, with the acknowledged offset. */
  readonly onCommitted?: (offsetBytes: number) => void;
}

/** A request that is writing into an upload. */
interface Holder {
  readonly profileId: string;
  readonly transfer: Transfer;
  /** Resolves when the request has committed its bytes and closed the blob. */
  readonly released: Promise<unknown>;
}

export interface Appended {
  readonly upload: Progress;
  /** False when the body ended early; the bytes received are kept all the same. */
  readonly isWhole: boolean;
}

/**
 * Receives the bytes of uploads: one request at a time writes into an upload, and a newer one takes over.
 */
export interface Receiver {
  /**
   * For uploads that begin.
   * @throws request.unavailable once it was asked to close
   */
  requireOpen(): void;
  /**
   * Writes a body at an offset.
   * @throws upload.wrong_offset, upload.locked, upload.lost_lease, upload.length_exceeded, upload.checksum_mismatch,
   * upload.not_found, upload.gone, upload.unauthenticated, folder.expired, storage.exists, storage.full, request.unavailable
   */
  append(input: AppendInput): Promise<Appended>;
  /**
   * Takes the upload over and returns its offset, after the bytes that an older request received are committed.
   * @throws upload.locked, upload.not_found, upload.gone, folder.expired
   */
  resume(id: string, profileId: string): Promise<UploadRow>;
  /** @throws upload.locked, upload.not_found, upload.gone, folder.expired */
  terminate(id: string, profileId: string): Promise<void>;
  /**
   * Takes no further requests, and gives running ones `endMs` to end. Then it stops them and keeps the bytes that they
   * received; their senders try again.
   */
  close(endMs: number): Promise<void>;
}

/** Waits until work is done, at most for `ms`. @returns whether it is */
export async function isDoneWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const timeout = new AbortController();
  const tooLong = sleep(ms, false, { signal: timeout.signal }).catch(() => true);
  const isDone = await Promise.race([work.then(() => true), tooLong]);
  timeout.abort();
  return isDone;
}

/** Waits until an older request is done. @throws upload.locked */
async function handover(wait: Promise<unknown>): Promise<void> {
  if (!(await isDoneWithin(HANDOVER_MS, wait))) throw new AppError('upload.locked');
}

/** Runs the acts on one upload one after the other: a takeover has several steps. */
function createTurns() {
  const last = new Map<string, Promise<unknown>>();
  return async function inTurn<Result>(id: string, act: () => Promise<Result>): Promise<Result> {
    const mine = (last.get(id) ?? Promise.resolve()).then(act);
    const settled = mine.catch(() => undefined);
    last.set(id, settled);
    try {
      return await mine;
    } finally {
      if (last.get(id) === settled) last.delete(id);
    }
  };
}

/** The error of a request that did not end with its last byte, or null. */
export function refusalOf({ end, stoppedBy, checksumMatches }: TransferEnd, hasChecksum: boolean): AppError | null {
  if (stoppedBy?.keep === false) return new AppError(stoppedBy.code);
  if (end === 'too_long') return new AppError('upload.length_exceeded');
  if (!hasChecksum) return null;
  // tus, Checksum: "Once the entire request has been received, the Server MUST verify the uploaded chunk against the
  // provided checksum using the specified algorithm." A part of it can't be verified, so it is not acknowledged.
  if (end !== 'complete') return new AppError(stoppedBy?.code ?? 'upload.checksum_mismatch');
  return checksumMatches ? null : new AppError('upload.checksum_mismatch');
}

async function openBlob(deps: UploadDeps, upload: TakenUpload): Promise<BlobWriter> {
  const { blob_key: blobKey, lease_epoch: epoch, offset_bytes: offsetBytes, last_part: last } = upload;
  try {
    return await deps.blobs.append({ blobKey, epoch, offsetBytes, last });
  } catch (error) {
    if (!(error instanceof BlobMissingError)) throw error;
    // The blob has lost acknowledged bytes: the sender has to begin again.
    await deleteUpload(deps, upload);
    throw new AppError('upload.gone', {}, { cause: error });
  }
}

interface Reception {
  readonly lease: Lease;
  readonly writer: BlobWriter;
  readonly transfer: Transfer;
  readonly hasChecksum: boolean;
}

/** Syncs and commits the bytes of a request; the last byte makes the upload a file. */
async function commitEnd(
  deps: ReceiverDeps,
  { lease, writer, transfer }: Reception,
  { bytes: toBytes, sum }: Reached,
): Promise<Progress> {
  const { bytes: fromBytes } = transfer.acked();
  const parts = toBytes > fromBytes ? await writer.sync(toBytes) : [];
  if (toBytes === lease.length_bytes) {
    const completed = await completeUpload(deps, lease, { fromBytes, sum, parts });
    deps.onCompleted(completed.folder_id);
    return completed;
  }
  return commitOffset(deps.db, lease, { fromBytes, toBytes, sum, parts });
}

/** Gives up the bytes that are not acknowledged, unless a newer request holds the upload. */
async function discardUnacked({ db }: UploadDeps, { lease, transfer, writer }: Reception): Promise<void> {
  const { bytes, sum } = transfer.acked();
  try {
    await commitOffset(db, lease, { fromBytes: bytes, toBytes: bytes, sum });
    await writer.discard(bytes);
  } catch {
    // They are no part of the upload, and go with it.
  }
}

/** Waits for the end of a request and commits its bytes. */
async function receive(deps: ReceiverDeps, reception: Reception): Promise<Appended> {
  const { writer, transfer, hasChecksum } = reception;
  try {
    const end = await transfer.ended;
    const refusal = refusalOf(end, hasChecksum);
    if (refusal) throw refusal;
    // tus, PATCH: "The Server SHOULD always attempt to store as much of the received data as possible."
    const upload = await commitEnd(deps, reception, end.written);
    if (end.end === 'stopped') throw new AppError(end.stoppedBy?.code ?? 'unexpected');
    return { upload, isWhole: end.end === 'complete' };
  } catch (error) {
    // tus, Checksum: "In the first two cases the uploaded chunk MUST be discarded, and the upload and its offset MUST
    // NOT be updated." The second case is `460 Checksum Mismatch`.
    if (error instanceof AppError && USELESS_BYTES.has(error.code)) await discardUnacked(deps, reception);
    throw error;
  } finally {
    await writer.close();
  }
}

/** @param minimumRate the minimum rate of a sender */
export function createReceiver(deps: ReceiverDeps, minimumRate: RateMinimum): Receiver {
  const { db } = deps;
  const holders = new Map<string, Holder>();
  const inTurn = createTurns();
  const buffers = createReceiveBuffers();
  let isClosing = false;

  function requireOpen(): void {
    if (isClosing) throw new AppError('request.unavailable');
  }

  async function stopHolder(id: string, profileId: string, code: ErrorCode, keep: boolean): Promise<void> {
    const holder = holders.get(id);
    // A request of another person does not stop this one; it answers 404 later.
    if (holder?.profileId !== profileId) return;
    holder.transfer.stop(code, keep);
    await handover(holder.released);
  }

  /** Refuses a request at another offset than the upload's, without stopping the request that is writing. */
  async function requireOffset({ id, profileId, offsetBytes }: AppendInput): Promise<void> {
    const holder = holders.get(id);
    if (holder?.profileId !== profileId) return;
    await handover(holder.transfer.settle());
    const isThere = holders.get(id) !== holder || holder.transfer.acked().bytes === offsetBytes;
    // tus, PATCH: "If the offsets do not match, the Server MUST respond with the `409 Conflict` status without
    // modifying the upload resource."
    if (!isThere) throw new AppError('upload.wrong_offset');
  }

  async function begin(input: AppendInput): Promise<{ appended: Promise<Appended> }> {
    const { id, profileId, sessionId, offsetBytes } = input;
    // Before it could stop an older request, which may still end.
    requireOpen();
    await requireOffset(input);
    await stopHolder(id, profileId, 'upload.lost_lease', false);
    const lease = { ...(await takeLease(db, id, profileId, offsetBytes)), session_id: sessionId };
    if ((input.bodyBytes ?? 0) > lease.length_bytes - offsetBytes) throw new AppError('upload.length_exceeded');
    if (lease.completed_at !== null) return { appended: Promise.resolve({ upload: lease, isWhole: true }) };
    const writer = await openBlob(deps, lease);
    if (isClosing) {
      await writer.close();
      throw new AppError('request.unavailable');
    }
    const commit = async (fromBytes: number, { bytes: toBytes, sum, parts }: Progressed) => {
      await commitOffset(db, lease, { fromBytes, toBytes, sum, parts });
      input.onCommitted?.(toBytes);
    };
    input.onBegun?.(lease.length_bytes - offsetBytes);
    const { checkpointMs } = deps.blobs;
    const lengthBytes = lease.length_bytes;
    const from = { bytes: offsetBytes, sum: lease.checksum };
    const transfer = startTransfer({ ...input, minimumRate, buffers, writer, checkpointMs, from, lengthBytes, commit });
    const appended = receive(deps, { lease, writer, transfer, hasChecksum: input.checksum !== null });
    const release = () => holders.delete(id);
    holders.set(id, { profileId, transfer, released: appended.then(release, release) });
    return { appended };
  }

  return {
    requireOpen,
    append: async (input) => (await inTurn(input.id, () => begin(input))).appended,
    resume: (id, profileId) =>
      inTurn(id, async () => {
        await stopHolder(id, profileId, 'upload.lost_lease', true);
        return takeLease(db, id, profileId, null);
      }),
    terminate: (id, profileId) =>
      inTurn(id, async () => {
        await stopHolder(id, profileId, 'upload.gone', false);
        await terminateUpload(deps, id, profileId);
      }),
    close: async (endMs) => {
      isClosing = true;
      const released = () => Promise.all([...holders.values()].map((holder) => holder.released));
      if (await isDoneWithin(endMs, released())) return;
      for (const { transfer } of holders.values()) transfer.stop('request.unavailable', true);
      await released();
    },
  };
}
