import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { AppError } from '@satchel/contract/errors';
import { isSafeSegment, isSealedName } from '@satchel/contract/naming';
import type { Tiers } from '@satchel/contract/tiers';
import type { StillFrame } from '@satchel/contract/wire/still-frames';
import { sql } from 'drizzle-orm';
import { noteChange } from '../../platform/database/change-notes.ts';
import { inTransaction, type Queryable, type Tx } from '../../platform/database/db.ts';
import { files } from '../../platform/schema/files.ts';
import { type FolderRow, folderByStoragePath, lockFolder, type Viewer } from '../access/find-folder.ts';
import { requesterOfViewer } from '../access/folder-access.ts';
import { isSessionAlive } from '../accounts/sessions.ts';
import { holdBlobs, purgeBlobs, purgeUnclaimed, queueBlobs, releaseHeld } from '../files/blob-purge.ts';
import { countStills, type FileRow, filesNamed } from '../files/files.ts';
import { stillBytesOf } from '../files/stills.ts';
import { holdLimits, requireOpen, type UploadDeps } from './uploads.ts';

/**
 * Stores the stills of files that are there (docs/container.md §6). Their blobs are held in the purge queue until one
 * transaction gives all of them their rows, so that a crash at any moment leaves none unclaimed.
 */

/** Blobs that are written at once: uploads use the disk, too. */
const PUTS_AT_ONCE = 4;

/** A still whose blob is durable and held. */
interface HeldStill extends StillFrame {
  readonly stillKey: string;
}

const bytesOf = ({ small, large }: StillFrame): number => small.length + large.length;

/** The files that may have stills: of an encrypted folder the sealed ones. */
async function filesOf(db: Queryable, folder: FolderRow, stills: readonly StillFrame[]) {
  const names = stills.map(({ name }) => name);
  const wanted = folder.link_mode === 'plain' ? names : names.filter(isSealedName);
  return new Map((await filesNamed(db, folder.id, wanted.filter(isSafeSegment))).map((file) => [file.name, file]));
}

interface Stored {
  readonly keys: ReadonlySet<string>;
  readonly names: readonly string[];
  /** The queued blobs: the stills that were replaced. */
  readonly replaced: readonly string[];
}

/** Gives stills to their files, in one statement. Open pages ask for what was updated since they looked. */
async function giveRows(tx: Tx, given: readonly (readonly [FileRow, HeldStill])[]): Promise<void> {
  const rows = given.map(
    ([{ id }, { stillKey, small, large }]) =>
      sql`(${id}::uuid, ${stillKey}::uuid, ${small.length}::integer, ${large.length}::integer,
        ${crc32(large, crc32(small))}::bigint)`,
  );
  await tx.execute(sql`
    update ${files} set still_key = given.key, still_small_bytes = given.small, still_large_bytes = given.large,
      still_checksum = given.checksum, updated_at = clock_timestamp()
    from (values ${sql.join(rows, sql`, `)}) as given (id, key, small, large, checksum) where ${files.id} = given.id`);
}

/** Under the locks of folder and profile, as an upload that completes. */
async function storeHeld(
  tx: Tx,
  { folderId, viewer, tiers }: { folderId: string; viewer: Viewer; tiers: Tiers },
  held: readonly HeldStill[],
): Promise<Stored> {
  const folder = await lockFolder(tx, folderId);
  requireOpen(folder, viewer);
  if (!(await isSessionAlive(tx, viewer))) throw new AppError('upload.unauthenticated');
  const limits = await holdLimits(tx, viewer.profile_id, tiers);
  const present = await filesOf(tx, folder, held);
  const given: [FileRow, HeldStill][] = [];
  let freeBytes = limits.storage_bytes - limits.taken_bytes;
  for (const still of held) {
    const file = present.get(still.name);
    if (!file || bytesOf(still) > freeBytes) continue;
    freeBytes -= bytesOf(still);
    given.push([file, still]);
  }
  if (given.length === 0) return { keys: new Set(), names: [], replaced: [] };
  const replaced = given.flatMap(([{ still_key }]) => still_key ?? []);
  const keys = given.map(([, { stillKey }]) => stillKey);
  await giveRows(tx, given);
  noteChange(tx, folder.id);
  await releaseHeld(tx, keys);
  await queueBlobs(tx, replaced);
  const bytes = given.reduce((sum, [file, still]) => sum + bytesOf(still) - stillBytesOf(file), 0);
  await countStills(tx, folder, bytes);
  return { keys: new Set(keys), names: given.map(([{ name }]) => name), replaced };
}

/** Finds the files, and queues a blob for the still of each, to be purged unless it gets its row. */
async function holdStills(
  { db }: UploadDeps,
  { storagePath, viewer }: Pick<NewStills, 'storagePath' | 'viewer'>,
  stills: readonly StillFrame[],
): Promise<{ folderId: string; held: readonly HeldStill[] }> {
  const folder = await folderByStoragePath(db, storagePath, requesterOfViewer(viewer));
  requireOpen(folder, viewer);
  const present = await filesOf(db, folder, stills);
  const held = stills.filter(({ name }) => present.has(name)).map((still) => ({ ...still, stillKey: randomUUID() }));
  if (held.length > 0) {
    await holdBlobs(
      db,
      held.map(({ stillKey }) => stillKey),
    );
  }
  return { folderId: folder.id, held };
}

/** Writes the blobs, a few at a time. When it fails, none is being written any more. */
async function putBlobs({ blobs }: UploadDeps, held: readonly HeldStill[]): Promise<void> {
  for (let from = 0; from < held.length; from += PUTS_AT_ONCE) {
    const some = held.slice(from, from + PUTS_AT_ONCE);
    const puts = await Promise.allSettled(
      some.map(({ stillKey, small, large }) => blobs.put(stillKey, [small, large])),
    );
    for (const put of puts) if (put.status === 'rejected') throw put.reason;
  }
}

export interface NewStills {
  readonly storagePath: string;
  readonly viewer: Viewer;
  readonly stills: readonly StillFrame[];
  /** Runs what asks the database when the client's turn comes; the disk is written between two turns. */
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/**
 * Stores stills of files of one folder. A still is left out when its file is not there, or when the owner's storage has
 * no room for it.
 * @param tiers the limits of the site
 * @returns the names of the files whose stills were stored
 * @throws storage.not_found, folder.expired, folder.taken_down, folder.forbidden, folder.revoked,
 * upload.unauthenticated, storage.full, request.unavailable
 */
export async function storeStills(
  deps: UploadDeps,
  { storagePath, viewer, stills, inTurn }: NewStills,
  tiers: Tiers,
): Promise<readonly string[]> {
  const { db } = deps;
  const { folderId, held } = await inTurn(() => holdStills(deps, { storagePath, viewer }, stills));
  if (held.length === 0) return [];
  const keys = held.map(({ stillKey }) => stillKey);
  let stored: Stored | null = null;
  try {
    await putBlobs(deps, held);
    stored = await inTurn(() => inTransaction(db, (tx) => storeHeld(tx, { folderId, viewer, tiers }, held)));
    await purgeBlobs(deps, stored.replaced);
    return stored.names;
  } finally {
    // Also after an error whose transaction may have committed: blobs that have rows are no longer held.
    for (const key of keys) if (!stored?.keys.has(key)) await purgeUnclaimed(deps, key);
  }
}
