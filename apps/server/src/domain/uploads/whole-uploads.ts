import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { AppError } from '@satchel/contract/errors';
import { MIB } from '@satchel/contract/limits';
import { and, eq, sql } from 'drizzle-orm';
import { wholeBlob } from '../../platform/blobs/blobs.ts';
import { coalesce } from '../../platform/database/coalesce.ts';
import { databaseAwayIn } from '../../platform/database/database-pool.ts';
import { inTransaction, type Tx } from '../../platform/database/db.ts';
import { uploads } from '../../platform/schema/files.ts';
import { type FolderRow, lockFolder, type Viewer } from '../access/find-folder.ts';
import { isSessionAlive } from '../accounts/sessions.ts';
import { holdBlobs, purgeBlobs, purgeUnclaimed, releaseHeld } from '../files/blob-purge.ts';
import { hashBlob, isSizeDenied, refuseDenied } from '../files/denied-blobs.ts';
import { countFiles, type FileRow, filesNamed, putFiles } from '../files/files.ts';
import { type Progress, UPLOAD_LIFETIME } from './leases.ts';
import type { RateMinimum } from './minimum-rate.ts';
import { isDoneWithin, type ReceiverDeps, refusalOf } from './receiver.ts';
import { type Checksum, NOTHING, startTransfer, type Transfer, type TransferWriter } from './transfer.ts';
import {
  holdLimits,
  type NewUpload,
  openUploadsOf,
  requireAcceptable,
  requireLink,
  requireSize,
  type UploadRules,
} from './uploads.ts';

/**
 * Small files that come whole with their creation. A sender that leaves before the answer has no address to resume at,
 * so nothing is stored until all bytes are there; then the blob is written once, and upload and file get their rows
 * together. Files of one person that come at the same time share a transaction.
 */

export const WHOLE_MAX_BYTES = MIB;
/** Memory for bodies that are being received. When it is taken, a file goes to disk as it comes, like a large one. */
const WAITING_MAX_BYTES = 32 * MIB;
/** Files of one transaction: its locks keep other requests of the person waiting. */
const FILES_AT_ONCE = 32;

export interface WholeUpload {
  readonly folderId: string;
  readonly viewer: Viewer;
  readonly upload: NewUpload;
  readonly body: Readable;
  readonly checksum: Checksum | null;
  /** Called for each chunk of the body whose bytes are not read again. */
  readonly onWritten: (chunk: Uint8Array) => void;
}

export interface WholeUploads {
  /**
   * Stores a file of at most WHOLE_MAX_BYTES.
   * @returns null when the memory for it is taken
   * @throws upload.checksum_mismatch, upload.too_slow, upload.gone when its sender left, upload.too_large,
   * upload.too_many_files, upload.over_quota, upload.denied, upload.unauthenticated, storage.exists, storage.full,
   * folder.not_found, folder.expired, folder.forbidden, folder.revoked, upload.not_encrypted, key.link_changed,
   * request.unavailable
   */
  store(input: WholeUpload): Promise<Progress> | null;
  /**
   * Takes no further files, and gives arriving ones `endMs`. Then it stops receiving; senders try again. Resolves when
   * the files that are there whole are stored.
   */
  close(endMs: number): Promise<void>;
}

/** A file whose blob is durable and held. */
interface Stored extends Pick<WholeUpload, 'folderId' | 'viewer' | 'upload'> {
  readonly blobKey: string;
  readonly sum: number;
  /** Null while the bytes are not hashed. */
  readonly sha256: string | null;
}

/** A body in memory. */
interface Received {
  readonly chunks: readonly Uint8Array[];
  readonly sum: number;
}

type Outcome =
  | { readonly error: unknown }
  | { readonly progress: Progress; readonly replaced: readonly string[]; readonly error?: never };

/** A denied file has the size of one of these: it has to be hashed first. */
class UnhashedError extends Error {}

/** Keeps what is written. */
function createMemory(): { writer: TransferWriter; chunks: readonly Uint8Array[] } {
  const chunks: Uint8Array[] = [];
  return { chunks, writer: { write: async (more) => void chunks.push(...more), sync: async () => [] } };
}

/** @throws upload.denied; UnhashedError */
async function requireAllowed(tx: Tx, all: readonly Stored[]): Promise<void> {
  for (const { sha256 } of all) if (sha256 !== null) await refuseDenied(tx, sha256);
  const unhashed = all.filter(({ sha256 }) => sha256 === null).map(({ upload }) => upload.length_bytes);
  if (unhashed.length > 0 && (await isSizeDenied(tx, ...unhashed))) throw new UnhashedError();
}

/** What files of one folder, sent in one session, add to it. */
interface Addition {
  readonly folder: FolderRow;
  readonly replaced: readonly FileRow[];
  readonly growthBytes: number;
  readonly addedFiles: number;
}

/** Checks files of one folder together, under the locks of folder and profile. */
async function requireRoom(tx: Tx, all: readonly Stored[], { tiers, caps }: UploadRules): Promise<Addition> {
  const { folderId, viewer } = all[0]!;
  const folder = await lockFolder(tx, folderId);
  for (const { upload } of all) requireAcceptable(folder, viewer, upload);
  if (!(await isSessionAlive(tx, viewer))) throw new AppError('upload.unauthenticated');
  const limits = await holdLimits(tx, viewer.profile_id, tiers);
  for (const { upload } of all) requireSize(folder, upload, limits.max_file_bytes);
  await requireAllowed(tx, all);

  const names = new Set(all.map(({ upload }) => upload.segment));
  const replaced = await filesNamed(tx, folder.id, [...names]);
  const upserts = new Set(all.filter(({ upload }) => upload.upsert).map(({ upload }) => upload.segment));
  if (names.size < all.length || replaced.some(({ name }) => !upserts.has(name))) throw new AppError('storage.exists');
  // After the names: of a file that is there already, only the answer was lost, and its label is renewed with the others.
  await requireLink(
    tx,
    folder,
    all.map(({ upload }) => upload),
  );
  const addedFiles = all.length - replaced.length;
  const open = await tx.$count(uploads, and(openUploadsOf(viewer.profile_id), eq(uploads.folder_id, folder.id)));
  if (addedFiles > 0 && folder.file_count + open + addedFiles > caps.folder_files) {
    throw new AppError('upload.too_many_files', { max: caps.folder_files });
  }
  const bytes = all.reduce((sum, { upload }) => sum + upload.length_bytes, 0);
  const freeBytes = Math.max(0, limits.storage_bytes - limits.taken_bytes);
  if (bytes > freeBytes) throw new AppError('upload.over_quota', { freeBytes });
  const growthBytes = bytes - replaced.reduce((sum, file) => sum + file.size_bytes, 0);
  return { folder, replaced, growthBytes, addedFiles };
}

/** Gives files of one folder, sent in one session, their rows: all, or none. */
async function storeTogether(tx: Tx, all: readonly Stored[], rules: UploadRules): Promise<Outcome[]> {
  const { folder, replaced, growthBytes, addedFiles } = await requireRoom(tx, all, rules);
  const rows = await tx
    .insert(uploads)
    .values(
      all.map(({ viewer, upload: { storagePath: _, segment, link_token: __, ...columns }, blobKey }) => ({
        ...columns,
        name: segment,
        folder_id: folder.id,
        profile_id: viewer.profile_id,
        blob_key: blobKey,
        offset_bytes: columns.length_bytes,
        completed_at: sql`clock_timestamp()`,
        expires_at: sql`least(${folder.expires_at.toISOString()}::timestamptz, clock_timestamp() + ${UPLOAD_LIFETIME})`,
      })),
    )
    .returning();
  const keys = all.map(({ blobKey }) => blobKey);
  await releaseHeld(tx, keys);
  const made = all.map(({ upload: { segment, length_bytes, mimetype, cache_control, sealed }, blobKey, sum }) => ({
    name: segment,
    size_bytes: length_bytes,
    mimetype,
    cache_control,
    sealed,
    blob_key: blobKey,
    checksum: sum,
  }));
  const queued = await putFiles(tx, folder, made, replaced);
  await countFiles(tx, folder, growthBytes, addedFiles);
  const progress = new Map(rows.map((row) => [row.blob_key, row]));
  return keys.map((key, at) => ({ progress: progress.get(key)!, replaced: at === 0 ? queued : [] }));
}

/** @param minimumRate the minimum rate of a sender */
export function createWholeUploads(deps: ReceiverDeps, rules: UploadRules, minimumRate: RateMinimum): WholeUploads {
  const { db, blobs } = deps;
  const receiving = new Set<Transfer>();
  const storing = new Set<Promise<unknown>>();
  let waitingBytes = 0;
  let isClosing = false;

  /** Files that can't be stored together are stored one by one, each with its own error. */
  async function storeSome(all: readonly Stored[]): Promise<readonly Outcome[]> {
    try {
      return await inTransaction(db, (tx) => storeTogether(tx, all, rules));
    } catch (error) {
      // A lost connection may have committed.
      if (all.length === 1 || databaseAwayIn(error) !== null) return all.map(() => ({ error }));
      const outcomes: Outcome[] = [];
      for (const each of all) outcomes.push(...(await storeSome([each])));
      return outcomes;
    }
  }

  async function storeAll(all: readonly Stored[]): Promise<readonly Outcome[]> {
    const outcomes = new Map<Stored, Outcome>();
    const together = Map.groupBy(all, ({ folderId, viewer }) => `${folderId} ${viewer.session_id}`);
    for (const some of together.values()) {
      const stored = await storeSome(some);
      for (const [at, each] of some.entries()) outcomes.set(each, stored[at]!);
    }
    return all.map((each) => outcomes.get(each)!);
  }

  const neverUndone = { isUndone: () => false };
  const hold = coalesce(
    async (keys: readonly string[]) => {
      await holdBlobs(db, keys);
      return keys;
    },
    { max: FILES_AT_ONCE, ...neverUndone },
  );

  /** Each person has a transaction at a time. */
  const lanes = new Map<string, { readonly run: (file: Stored) => Promise<Outcome>; files: number }>();
  async function storeInLane(file: Stored): Promise<Outcome> {
    const { profile_id } = file.viewer;
    const lane = lanes.get(profile_id) ?? { run: coalesce(storeAll, { max: FILES_AT_ONCE, ...neverUndone }), files: 0 };
    lanes.set(profile_id, lane);
    lane.files += 1;
    try {
      return await lane.run(file);
    } finally {
      lane.files -= 1;
      if (lane.files === 0) lanes.delete(profile_id);
    }
  }

  async function storeHashed(file: Stored): Promise<Outcome> {
    const outcome = await storeInLane(file);
    if (!(outcome.error instanceof UnhashedError)) return outcome;
    return storeInLane({ ...file, sha256: await hashBlob(blobs, wholeBlob(file.blobKey), file.upload.length_bytes) });
  }

  /** Receives all bytes of a body. */
  async function receive({ upload, body, checksum }: WholeUpload): Promise<Received> {
    const { writer, chunks } = createMemory();
    const lengthBytes = upload.length_bytes;
    const commit = async () => undefined;
    const transfer = startTransfer({ body, checksum, minimumRate, writer, lengthBytes, from: NOTHING, commit });
    receiving.add(transfer);
    try {
      const end = await transfer.ended;
      const refusal = refusalOf(end, checksum !== null);
      if (refusal) throw refusal;
      if (end.stoppedBy) throw new AppError(end.stoppedBy.code);
      if (end.written.bytes < lengthBytes) throw new AppError('upload.gone');
      return { chunks, sum: end.written.sum };
    } finally {
      receiving.delete(transfer);
    }
  }

  async function keep({ folderId, viewer, upload, onWritten }: WholeUpload, { chunks, sum }: Received) {
    const blobKey = randomUUID();
    await hold(blobKey);
    let outcome: Outcome;
    try {
      await blobs.put(blobKey, chunks);
      for (const chunk of chunks) onWritten(chunk);
      outcome = await storeHashed({ folderId, viewer, upload, blobKey, sum, sha256: null });
    } catch (error) {
      outcome = { error };
    }
    if ('progress' in outcome) {
      await purgeBlobs(deps, outcome.replaced);
      deps.onCompleted(folderId);
      return outcome.progress;
    }
    await purgeUnclaimed(deps, blobKey);
    throw outcome.error;
  }

  async function storeWhole(input: WholeUpload): Promise<Progress> {
    try {
      return await keep(input, await receive(input));
    } finally {
      waitingBytes -= input.upload.length_bytes;
    }
  }

  return {
    store(input) {
      const bytes = input.upload.length_bytes;
      if (bytes > WHOLE_MAX_BYTES || waitingBytes + bytes > WAITING_MAX_BYTES) return null;
      if (isClosing) throw new AppError('request.unavailable');
      waitingBytes += bytes;
      const stored = storeWhole(input);
      storing.add(stored);
      const forget = () => storing.delete(stored);
      stored.then(forget, forget);
      return stored;
    },
    async close(endMs) {
      isClosing = true;
      if (await isDoneWithin(endMs, Promise.allSettled(storing))) return;
      for (const transfer of receiving) transfer.stop('request.unavailable', false);
      await Promise.allSettled(storing);
    },
  };
}
