import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, type ErrorCode } from '@satchel/contract/errors';
import { BlobMissingError, type BlobWriter } from '../platform/blobs.ts';
import { commitOffset, type Lease, type Progress, takeLease, type UploadRow } from './leases.ts';
import type { PaceLimits } from './pace.ts';
import { type Checksum, startTransfer, type Transfer, type TransferEnd } from './transfer.ts';
import { completeUpload, discardUpload, terminateUpload, type UploadDeps } from './uploads.ts';

/** How long a successor waits for a predecessor's commit before it hears 423. */
const HANDOVER_MS = 10_000;
/** After these, what was written beyond the acknowledged offset only takes up space. */
const USELESS_BYTES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['storage.full', 'upload.checksum_mismatch']);

export interface ReceiverDeps extends UploadDeps {
  /** Told of each upload that has become a file. */
  readonly onCompleted: (folderId: string) => void;
}

export interface AppendInput {
  readonly id: string;
  readonly profileId: string;
  /** Whose end ends this, too: its sender has signed out. */
  readonly sessionId: string;
  readonly offsetBytes: number;
  readonly body: Readable;
  /** Content-Length, when the sender says it. */
  readonly bodyBytes: number | null;
  readonly checksum: Checksum | null;
}

/** One request that is writing into an upload. */
interface Holder {
  readonly profileId: string;
  readonly transfer: Transfer;
  /** Resolves once the request has committed what counts and closed the blob. */
  readonly released: Promise<unknown>;
}

export interface Appended {
  readonly upload: Progress;
  /** False when the sender left before the end of its body; what came counts all the same. */
  readonly isWhole: boolean;
}

/** Receives the bytes of uploads: one request at a time writes into one, and a newer one takes over (DESIGN §6). */
export interface Receiver {
  /**
   * Writes a body at an offset.
   * @throws upload.wrong_offset, upload.locked, upload.lost_lease, upload.length_exceeded, upload.checksum_mismatch,
   * upload.not_found, upload.gone, upload.unauthenticated, folder.expired, storage.exists, storage.full
   */
  append(input: AppendInput): Promise<Appended>;
  /**
   * Takes the upload over and tells where it is: what its older request has received is committed first.
   * @throws upload.locked, upload.not_found, upload.gone, folder.expired
   */
  resume(id: string, profileId: string): Promise<UploadRow>;
  /** @throws upload.locked, upload.not_found, upload.gone, folder.expired */
  terminate(id: string, profileId: string): Promise<void>;
  /** Cuts all requests, keeping what they brought: their senders try again elsewhere or later. */
  close(): Promise<void>;
}

/** Waits for a predecessor. @throws upload.locked */
async function handover(wait: Promise<unknown>): Promise<void> {
  const timeout = new AbortController();
  const tooLong = sleep(HANDOVER_MS, 'late', { signal: timeout.signal }).catch(() => 'done');
  const outcome = await Promise.race([wait.then(() => 'done'), tooLong]);
  timeout.abort();
  if (outcome === 'late') throw new AppError('upload.locked');
}

/** Runs what concerns one upload in turn: taking over is several steps, and two may come at once. */
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

/** What ends a request in another way than by its last byte, or null. */
function refusalOf({ end, stoppedBy, checksumMatches }: TransferEnd, hasChecksum: boolean): AppError | null {
  if (stoppedBy?.keep === false) return new AppError(stoppedBy.code);
  if (end === 'too_long') return new AppError('upload.length_exceeded');
  if (!hasChecksum) return null;
  // Bytes that can't be verified are not acknowledged.
  if (end !== 'complete') return new AppError(stoppedBy?.code ?? 'upload.checksum_mismatch');
  return checksumMatches ? null : new AppError('upload.checksum_mismatch');
}

async function openBlob(deps: UploadDeps, upload: UploadRow): Promise<BlobWriter> {
  try {
    return await deps.blobs.append(upload.blob_key, upload.offset_bytes);
  } catch (error) {
    if (!(error instanceof BlobMissingError)) throw error;
    // Acknowledged bytes are not there: the sender has to begin anew.
    await discardUpload(deps, upload);
    throw new AppError('upload.gone', {}, { cause: error });
  }
}

interface Reception {
  readonly lease: Lease;
  readonly writer: BlobWriter;
  readonly transfer: Transfer;
  readonly hasChecksum: boolean;
}

/** Makes durable what a request brought, commits it, and with the last byte makes it a file. */
async function commitEnd(
  deps: ReceiverDeps,
  { lease, writer, transfer }: Reception,
  toBytes: number,
): Promise<Progress> {
  const fromBytes = transfer.ackedBytes();
  if (toBytes > fromBytes) await writer.sync();
  if (toBytes === lease.length_bytes) {
    const completed = await completeUpload(deps, lease, fromBytes);
    deps.onCompleted(completed.folder_id);
    return completed;
  }
  return commitOffset(deps.db, lease, { fromBytes, toBytes });
}

/** Gives back the space of bytes that were never acknowledged, unless somebody else is writing there by now. */
async function dropUnacked({ db, blobs }: UploadDeps, { lease, transfer }: Reception): Promise<void> {
  const ackedBytes = transfer.ackedBytes();
  try {
    await commitOffset(db, lease, { fromBytes: ackedBytes, toBytes: ackedBytes });
    await (await blobs.append(lease.blob_key, ackedBytes)).close();
  } catch {
    // The next request drops them anyway.
  }
}

/** Follows a request to its end. */
async function receive(deps: ReceiverDeps, reception: Reception): Promise<Appended> {
  const { writer, transfer, hasChecksum } = reception;
  try {
    const end = await transfer.ended;
    const refusal = refusalOf(end, hasChecksum);
    if (refusal) throw refusal;
    const upload = await commitEnd(deps, reception, end.writtenBytes);
    if (end.end === 'stopped') throw new AppError(end.stoppedBy?.code ?? 'unexpected');
    return { upload, isWhole: end.end === 'complete' };
  } catch (error) {
    if (error instanceof AppError && USELESS_BYTES.has(error.code)) await dropUnacked(deps, reception);
    throw error;
  } finally {
    await writer.close();
  }
}

/** @param pace how slow senders may be */
export function createReceiver(deps: ReceiverDeps, pace: PaceLimits): Receiver {
  const { db } = deps;
  const holders = new Map<string, Holder>();
  const inTurn = createTurns();
  let isClosing = false;

  async function displace(id: string, profileId: string, code: ErrorCode, keep: boolean): Promise<void> {
    const holder = holders.get(id);
    // A stranger, who will hear 404, cuts nobody.
    if (holder?.profileId !== profileId) return;
    holder.transfer.stop(code, keep);
    await handover(holder.released);
  }

  /** A request that is not where the upload is has lost anyway: the one under way goes on. */
  async function requireOffset({ id, profileId, offsetBytes }: AppendInput): Promise<void> {
    const holder = holders.get(id);
    if (holder?.profileId !== profileId) return;
    await handover(holder.transfer.settle());
    const isThere = holders.get(id) !== holder || holder.transfer.ackedBytes() === offsetBytes;
    if (!isThere) throw new AppError('upload.wrong_offset');
  }

  async function begin(input: AppendInput): Promise<{ appended: Promise<Appended> }> {
    const { id, profileId, sessionId, offsetBytes } = input;
    await requireOffset(input);
    await displace(id, profileId, 'upload.lost_lease', false);
    const lease = { ...(await takeLease(db, id, profileId, offsetBytes)), session_id: sessionId };
    if ((input.bodyBytes ?? 0) > lease.length_bytes - offsetBytes) throw new AppError('upload.length_exceeded');
    if (lease.completed_at !== null) return { appended: Promise.resolve({ upload: lease, isWhole: true }) };
    const writer = await openBlob(deps, lease);
    if (isClosing) {
      await writer.close();
      throw new AppError('request.unavailable');
    }
    const commit = async (fromBytes: number, toBytes: number) =>
      void (await commitOffset(db, lease, { fromBytes, toBytes }));
    const transfer = startTransfer({ ...input, pace, writer, lengthBytes: lease.length_bytes, commit });
    const appended = receive(deps, { lease, writer, transfer, hasChecksum: input.checksum !== null });
    const release = () => holders.delete(id);
    holders.set(id, { profileId, transfer, released: appended.then(release, release) });
    return { appended };
  }

  return {
    append: async (input) => (await inTurn(input.id, () => begin(input))).appended,
    resume: (id, profileId) =>
      inTurn(id, async () => {
        await displace(id, profileId, 'upload.lost_lease', true);
        return takeLease(db, id, profileId, null);
      }),
    terminate: (id, profileId) =>
      inTurn(id, async () => {
        await displace(id, profileId, 'upload.gone', false);
        await terminateUpload(deps, id, profileId);
      }),
    close: async () => {
      isClosing = true;
      for (const { transfer } of holders.values()) transfer.stop('request.unavailable', true);
      await Promise.all([...holders.values()].map((holder) => holder.released));
    },
  };
}
