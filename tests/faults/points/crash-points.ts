/**
 * Named places in the server's sources where a test ends the process. `tests/faults/preloads/crash-hook.ts` adds the calls as it
 * loads the sources; the sources contain no hooks. tests/acceptance/crash-points.test.ts fails when a statement has moved.
 */

export interface CrashPoint {
  readonly name: string;
  /** In apps/server/src. */
  readonly file: string;
  /** A statement, or its beginning; it occurs once in the file. */
  readonly statement: string;
  readonly is: 'before' | 'after';
  /** A condition, evaluated there: the process ends only where it is true. */
  readonly when: string;
}

const of =
  (file: string) =>
  (name: string, is: CrashPoint['is'], statement: string, when = 'true'): CrashPoint => ({
    name,
    file,
    statement,
    is,
    when,
  });

const wholeUploads = of('domain/uploads/whole-uploads.ts');
const receiver = of('domain/uploads/receiver.ts');
const transfer = of('domain/uploads/transfer.ts');
const leases = of('domain/uploads/leases.ts');
const uploads = of('domain/uploads/uploads.ts');
const stills = of('domain/uploads/store-stills.ts');
const files = of('domain/files/files.ts');
const blobPurge = of('domain/files/blob-purge.ts');
const disk = of('platform/blobs/blobs-disk.ts');
const secretFile = of('platform/keys/secret-file.ts');
const generateKey = of('domain/links/generate-key.ts');
const keys = of('domain/links/keys.ts');
const createFolder = of('domain/folders/create-folder.ts');
const deleteFolder = of('domain/removal/delete-folder.ts');
const expireFolders = of('domain/removal/expire-folders.ts');
const purgeKeys = of('domain/removal/purge-keys.ts');

const IS_PRIVATE = "folder.link_mode === 'private'";

/** Points that uploads, deletions and changes of links reach. */
export const POINTS_OF_WORK: readonly CrashPoint[] = [
  wholeUploads('a small file is queued, before it is stored', 'before', 'await blobs.put(blobKey, chunks);'),
  disk('a small file is synced, before its name is', 'before', 'await syncName(path);'),
  wholeUploads('a small file is stored, before it has a row', 'after', 'await blobs.put(blobKey, chunks);'),
  wholeUploads('a small file has its rows, before the commit', 'before', 'const progress = new Map(rows.map('),
  wholeUploads('a small file is committed, before the answer', 'before', 'await purgeBlobs(deps, outcome.replaced);'),
  receiver('a piece is written, before it is synced', 'before', 'const parts = toBytes > fromBytes ?'),
  disk(
    'a piece is synced, before the name of its file is',
    'before',
    'if (!isNamed) await deps.syncName(path);',
    '!isNamed',
  ),
  receiver(
    'a piece is durable, before its offset is committed',
    'after',
    'const parts = toBytes > fromBytes ? await writer.sync(toBytes) : [];',
  ),
  leases(
    'a piece has the row of its part, before the commit',
    'after',
    'await insertParts(tx, lease.blob_key, parts);',
  ),
  leases('an offset is committed, before the answer', 'before', 'if (!committed) throw await whyRefused(db, lease);'),
  uploads(
    'an upload is complete, before it is a file',
    'before',
    'await insertParts(tx, done.blob_key, ending.parts);',
  ),
  uploads('an upload is a file, before the answer', 'before', 'await purgeBlobs(deps, done.replaced);'),
  uploads(
    'an upload is cancelled, before the commit',
    'before',
    'return [...ofUpload, ...(await deleteFileOfBlob(tx, folder, upload.blob_key))];',
  ),
  files(
    'a deleted file has no row, before its bytes are queued',
    'before',
    'await queueBlobs(tx, deleted.flatMap(blobsOfFile));',
  ),
  blobPurge(
    'a deletion is committed, before its bytes go',
    'before',
    'const parts = await partsOfBlobs(db, blobKeys);',
  ),
  disk('the first file of a blob is unlinked, before its others', 'before', 'const folder = path + PARTS_SUFFIX;'),
  blobPurge(
    'bytes are gone, before their entry of the queue',
    'before',
    'for (const reason of failed.values()) report(',
  ),
  deleteFolder(
    'a deleted folder has no files, before its key’s row goes',
    'before',
    'await tx.delete(temp_encryption_keys).where(',
    IS_PRIVATE,
  ),
  deleteFolder(
    'a deleted folder is committed, before its key share goes',
    'before',
    'await finishDeletion(deps, { folderId: deleted.folder.id, queued: deleted.queued }, report);',
    `deleted.${IS_PRIVATE}`,
  ),
  deleteFolder(
    'a deleted folder is committed, before its bytes go',
    'before',
    'await purgeBlobs(deps, deleted.queued, report);',
    'deleted.queued.length > 0',
  ),
  createFolder(
    'a new folder has its key share, before its row',
    'before',
    'const folder = await insertFolder(tx, viewer, input, made);',
    'prepared !== null',
  ),
  secretFile('a key share is written, before it has its name', 'before', 'await rename(path + UNFINISHED, path);'),
  generateKey(
    'a new link has its key share, before its row',
    'before',
    'const folder = requireKeyed(await lockOwnFolder(tx, checked.id, viewer));',
  ),
  generateKey('a new link has its row, before the commit', 'before', 'return { key, ended };'),
  generateKey(
    'a new link is committed, before the old key share goes',
    'before',
    'if (ended) await deps.keyShares.delete(',
    'ended !== null',
  ),
  keys(
    'a revoked link is committed, before its key share goes',
    'before',
    'await deps.keyShares.deleteAll(folder.id).catch(report);',
  ),
  secretFile(
    'a key share is renamed, before it is overwritten',
    'before',
    'await overwrite(file).finally(() => file.close());',
  ),
  secretFile(
    'a key share is overwritten, before it is unlinked',
    'after',
    'await overwrite(file).finally(() => file.close());',
  ),
];

/** Points that only an upload slower than a checkpoint reaches. */
export const POINTS_OF_CHECKPOINTS: readonly CrashPoint[] = [
  transfer('a checkpoint is due, before it syncs', 'before', 'const parts = to.bytes > acked.bytes ?'),
  transfer('a checkpoint is durable, before its commit', 'before', 'await commit(acked.bytes, { ...to, parts });'),
  transfer('a checkpoint is committed, before it is told', 'before', 'acked = to;'),
];

/** Points of storing stills. */
export const POINTS_OF_STILLS: readonly CrashPoint[] = [
  stills('stills are queued, before they are stored', 'before', 'await putBlobs(deps, held);'),
  stills('stills are stored, before they have rows', 'after', 'await putBlobs(deps, held);'),
  stills('stills are committed, before the answer', 'before', 'await purgeBlobs(deps, stored.replaced);'),
];

/** Points of the sweep at a start, with an expired folder and an expired key. */
export const POINTS_OF_SWEEPS: readonly CrashPoint[] = [
  purgeKeys(
    'the sweep has deleted an expired key’s row, before its key share',
    'before',
    'if (share_id) await keyShares.delete({ folder_id, share_id }).catch(report);',
    'share_id !== null',
  ),
  expireFolders(
    'the sweep has deleted an expired folder’s rows, before its key share',
    'before',
    'await deleteShares(id);',
    'queued.length === 0',
  ),
  expireFolders(
    'the sweep has deleted an expired folder’s rows, before its bytes',
    'before',
    'await purgeBlobs(deps, queued, report, signal);',
    'queued.length > 0',
  ),
  blobPurge(
    'the sweep has claimed bytes, before they go',
    'after',
    'const keys = await claimBatch(deps.db);',
    'keys.length > 0',
  ),
];

export const CRASH_POINTS: readonly CrashPoint[] = [
  ...POINTS_OF_WORK,
  ...POINTS_OF_CHECKPOINTS,
  ...POINTS_OF_STILLS,
  ...POINTS_OF_SWEEPS,
];
