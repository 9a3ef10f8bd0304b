import { createHash } from 'node:crypto';
import { link, mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Writable } from 'node:stream';
import { type SQL, sql } from 'drizzle-orm';
import { BlobMissingError, type BlobPart, type BlobStore } from '../../platform/blobs/blobs.ts';
import { type Queryable, rowsOf } from '../../platform/database/db.ts';
import { isMissing } from '../../platform/durable-file.ts';
import type { Finding } from '../findings.ts';
import { hashOfFile } from './line-files.ts';
import { BackupError, type BlobLine, blobFile } from './manifest.ts';

/** Copies the blobs that a snapshot of the rows names, while the site goes on. */

/** A blob that a row of the snapshot names. */
export interface BlobOfRow {
  readonly of: 'file' | 'still' | 'upload';
  readonly id: string;
  readonly blob_key: string;
  /** All of a file or still, the acknowledged ones of an open upload. */
  readonly bytes: number;
  readonly parts: readonly BlobPart[] | null;
}

const partsOfKey = (key: SQL): SQL => sql`(
  select json_agg(json_build_object('start', start_bytes, 'name', name) order by start_bytes)
  from blob_parts where blob_parts.blob_key = ${key})`;

/** The blobs that rows name; those that wait to be deleted are left out. */
export const namedBlobs = (): SQL => sql`
  select 'file' as of, id, blob_key, size_bytes as bytes, ${partsOfKey(sql`files.blob_key`)} as parts from files
  union all select 'still', id, still_key, still_small_bytes + still_large_bytes, ${partsOfKey(sql`files.still_key`)}
    from files where still_key is not null
  union all select 'upload', id, blob_key, offset_bytes, ${partsOfKey(sql`uploads.blob_key`)}
    from uploads where completed_at is null and offset_bytes > 0`;

const UNLINKABLE = new Set(['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES']);
const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';

/** Whether the rows still name the blob: then it is lost, and not deleted. */
async function isNamed(db: Queryable, { of, id, blob_key }: BlobOfRow): Promise<boolean> {
  const where = {
    file: sql`select from files where id = ${id}::uuid and blob_key = ${blob_key}::uuid`,
    still: sql`select from files where id = ${id}::uuid and still_key = ${blob_key}::uuid`,
    upload: sql`select from uploads where id = ${id}::uuid and completed_at is null`,
  }[of];
  return rowsOf(await db.execute(where)).length > 0;
}

/**
 * Links to a blob's file. Nothing changes the bytes of a file that is stored for good; an open upload's file grows, and
 * is copied.
 * @returns false where the file can't be linked to, or is not exactly the blob
 */
async function linkBlob(blobs: BlobStore, { of, blob_key: blobKey, bytes, parts }: BlobOfRow, to: string) {
  const from = of === 'upload' ? null : (blobs.fileOf?.({ blobKey, parts: parts ?? [] }) ?? null);
  if (from === null) return false;
  try {
    if ((await stat(from)).size !== bytes) return false;
    await link(from, to);
    return true;
  } catch (error) {
    // Copying says what is wrong with the blob, or with the folder.
    if (UNLINKABLE.has(codeOf(error)) || isMissing(error)) return false;
    return writing(to, Promise.reject(error));
  }
}

/** @throws BackupError that names the file */
const writing = <Result>(path: string, done: Promise<Result>): Promise<Result> =>
  done.catch((error: unknown) => {
    throw new BackupError(`${path} can't be written (${codeOf(error) || String(error)})`);
  });

/**
 * @returns the hash of the bytes that were copied
 * @throws BackupError when the copy can't be written
 */
async function copyBlob(blobs: BlobStore, blob: BlobOfRow, to: string): Promise<string> {
  const reader = await blobs.open({ blobKey: blob.blob_key, parts: blob.parts ?? [] }, blob.bytes);
  try {
    const file = await writing(to, open(to, 'wx', 0o600));
    const hash = createHash('sha256');
    let failure: unknown;
    const sink = new Writable({
      write: (chunk: Uint8Array, _encoding, done) => {
        hash.update(chunk);
        writing(to, file.writeFile(chunk)).then(
          () => done(),
          (error: Error) => {
            failure = error;
            done(error);
          },
        );
      },
    });
    // The reader says only that its receiver is gone.
    sink.on('error', () => undefined);
    try {
      await reader.send({ start: 0, end: blob.bytes }, sink);
      await writing(to, file.sync());
    } catch (error) {
      throw failure ?? error;
    } finally {
      await file.close();
    }
    return hash.digest('hex');
  } finally {
    await reader.close();
  }
}

export interface CopyDeps {
  readonly db: Queryable;
  readonly blobs: BlobStore;
  readonly dir: string;
}

export type Copied =
  | { readonly blob: BlobLine; readonly isLinked: boolean }
  | { readonly blob: null; readonly finding: Finding | null };

/** What is wrong with a blob that can't be copied; nothing when its row is gone, too. */
async function problemOf({ db }: CopyDeps, blob: BlobOfRow, error: unknown): Promise<Finding | null> {
  if (!(await isNamed(db, blob))) return null;
  const { of, id, blob_key, bytes } = blob;
  const kind = error instanceof BlobMissingError ? (`${of}_blob_missing` as const) : 'blob_unreadable';
  return { kind, detail: { [of === 'upload' ? 'upload' : 'file']: id, blob: blob_key, bytes } };
}

/** @throws BackupError when the backup can't be written */
export async function takeBlob(deps: CopyDeps, blob: BlobOfRow): Promise<Copied> {
  const to = blobFile(deps.dir, blob.blob_key);
  await writing(to, mkdir(dirname(to), { recursive: true, mode: 0o700 }));
  try {
    const isLinked = await linkBlob(deps.blobs, blob, to);
    const sha256 = isLinked ? await hashOfFile(to) : await copyBlob(deps.blobs, blob, to);
    return { blob: { blob_key: blob.blob_key, bytes: blob.bytes, sha256 }, isLinked };
  } catch (error) {
    await rm(to, { force: true });
    if (error instanceof BackupError) throw error;
    return { blob: null, finding: await problemOf(deps, blob, error) };
  }
}
