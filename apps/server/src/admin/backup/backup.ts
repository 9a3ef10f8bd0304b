import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { sql } from 'drizzle-orm';
import { blobOf } from '../../domain/files/blob-parts.ts';
import { BlobMissingError, type BlobParts, type BlobStore } from '../../platform/blobs/blobs.ts';
import { type Db, inSnapshot, type Queryable, rowsOf, schemaStepOf } from '../../platform/database/db.ts';
import { fsyncFolder, writePrivately } from '../../platform/durable-file.ts';
import { requireWritable } from '../../platform/site/own-folders.ts';
import type { Finding } from '../findings.ts';
import {
  BackupError,
  blobFile,
  inBatches,
  KEPT_TABLES,
  type KeptTable,
  type Manifest,
  manifestFile,
  type NamedBlob,
  namedBlobs,
  tableFile,
} from './format.ts';

/**
 * Backs a site up while it runs: all rows as they are at one moment, and then the blobs that those rows name. Nothing
 * changes the bytes of a stored blob, so only what is deleted in between is missing. Key shares, sealing secret and the salts of
 * visitors are no part of it.
 */

export interface BackupDeps {
  readonly db: Db;
  /** Null for the rows alone. */
  readonly blobs: BlobStore | null;
  /** Missing or empty; it gets the backup. */
  readonly dir: string;
}

/** How much of the store was copied. */
interface BlobCounts {
  blobs: number;
  bytes: number;
  /** Blobs that are links to the files of the site. */
  linked: number;
  /** Blobs that were deleted while the backup ran. */
  deleted_during_backup: number;
  findings: Finding[];
}

export interface BackupReport extends Readonly<BlobCounts> {
  readonly dir: string;
  readonly rows: number;
}

/** Blobs under way at once: each small one waits for the store or the disk. */
const AT_ONCE = 8;
/** Rows that one statement fetches. */
const ROWS = 500;

async function writeTable(tx: Queryable, dir: string, table: KeptTable): Promise<Manifest['tables'][KeptTable]> {
  const hash = createHash('sha256');
  let rows = 0;
  async function* rowsAsJson(): AsyncGenerator<string> {
    const query = sql`select row_to_json(q)::text as line from ${sql.identifier(table)} q`;
    await tx.execute(sql`declare backup_rows no scroll cursor for ${query}`);
    for (let isEnd = false; !isEnd; ) {
      const fetched = await tx.execute(sql.raw(`fetch forward ${ROWS} from backup_rows`));
      const lines = rowsOf<{ line: string }>(fetched).map(({ line }) => `${line}\n`);
      // Line readers split at these two characters, too.
      const text = lines.join('').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
      hash.update(text);
      rows += lines.length;
      isEnd = lines.length < ROWS;
      yield text;
    }
    await tx.execute(sql`close backup_rows`);
  }
  await writeFile(tableFile(dir, table), rowsAsJson(), { flag: 'wx', mode: 0o600, flush: true });
  return { rows, sha256: hash.digest('hex') };
}

const writeRows = (db: Db, dir: string): Promise<Omit<Manifest, 'blobs'>> =>
  inSnapshot(db, async (tx) => {
    // Of the connection's limits only the idle-transaction limit could end a long backup.
    await tx.execute(sql`set local idle_in_transaction_session_timeout = 0`);
    const [about] = rowsOf<{ made_at: Date; site_id: string | null }>(
      await tx.execute(sql`select now() as made_at, (select id from site limit 1) as site_id`),
    );
    const { made_at, site_id } = about!;
    const tables = {} as Manifest['tables'];
    for (const table of KEPT_TABLES) tables[table] = await writeTable(tx, dir, table);
    return {
      format: 1,
      made_at: new Date(made_at).toISOString(),
      schema_step: await schemaStepOf(tx),
      site_id,
      tables,
    };
  });

/** @returns false where the store has no file that is exactly the blob, or the file system takes no link to it */
async function linkBlob(store: BlobStore, parts: BlobParts, { of, bytes }: NamedBlob, to: string): Promise<boolean> {
  // The file of an open upload grows.
  const from = of === 'upload' ? null : (store.fileOf?.(parts) ?? null);
  if (from === null) return false;
  // The caller then copies the blob, which names the fault.
  return stat(from)
    .then(({ size }) => size === bytes && link(from, to).then(() => true))
    .catch(() => false);
}

/** @throws BackupError when the copy can't be written */
async function copyBlob(store: BlobStore, parts: BlobParts, bytes: number, to: string): Promise<void> {
  const reader = await store.open(parts, bytes);
  const copy = createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true });
  const written = finished(copy);
  try {
    await Promise.all([written, reader.send({ start: 0, end: bytes }, copy).then(() => copy.end())]);
  } catch (error) {
    // The reader's own error says only that the file was closed.
    if (copy.errored) throw new BackupError(`${to} can't be written (${copy.errored.message})`);
    copy.destroy();
    await written.catch(() => undefined);
    throw error;
  } finally {
    await reader.close();
  }
}

/** Whether a row still names the blob: then it is lost, and not deleted. */
async function isNamed(db: Queryable, blobKey: string): Promise<boolean> {
  const found = await db.execute(sql`
    select from files where blob_key = ${blobKey}::uuid
    union all select from files where still_key = ${blobKey}::uuid
    union all select from uploads where blob_key = ${blobKey}::uuid and completed_at is null`);
  return rowsOf(found).length > 0;
}

async function takeBlob(deps: BackupDeps & { blobs: BlobStore }, blob: NamedBlob, counts: BlobCounts): Promise<void> {
  const { db, blobs, dir } = deps;
  const { of, id, blobKey, bytes } = blob;
  const to = blobFile(dir, blobKey);
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  try {
    const known = await blobOf(db, blobKey);
    // An open upload may have received more parts since the rows were read.
    const parts = { blobKey, parts: known.parts.filter(({ start }) => start < bytes) };
    const isLinked = await linkBlob(blobs, parts, blob, to);
    if (!isLinked) await copyBlob(blobs, parts, bytes, to);
    counts.blobs += 1;
    counts.bytes += bytes;
    counts.linked += isLinked ? 1 : 0;
  } catch (error) {
    await rm(to, { force: true });
    if (error instanceof BackupError) throw error;
    if (!(await isNamed(db, blobKey))) {
      counts.deleted_during_backup += 1;
      return;
    }
    const kind = error instanceof BlobMissingError ? (`${of}_blob_missing` as const) : 'blob_unreadable';
    counts.findings.push({ kind, detail: { [of === 'upload' ? 'upload' : 'file']: id, blob: blobKey, bytes } });
  }
}

/** Makes the names in a folder, and in the folders in it, durable. */
async function syncFolders(dir: string): Promise<void> {
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    if (entry.isDirectory()) await syncFolders(join(dir, entry.name));
  }
  await fsyncFolder(dir);
}

/** @throws NotWritableError, BackupError */
export async function backup(deps: BackupDeps): Promise<BackupReport> {
  const { db, blobs, dir } = deps;
  await requireWritable('DIR', dir);
  if ((await readdir(dir)).length > 0) throw new BackupError(`${dir} is not empty: a backup gets its own folder`);
  await mkdir(join(dir, 'tables'), { mode: 0o700 });
  const about = await writeRows(db, dir);
  const counts: BlobCounts = { blobs: 0, bytes: 0, linked: 0, deleted_during_backup: 0, findings: [] };
  if (blobs) {
    for await (const some of inBatches(namedBlobs(dir), AT_ONCE)) {
      await Promise.all(some.map((blob) => takeBlob({ ...deps, blobs }, blob, counts)));
    }
  }
  await syncFolders(dir);
  const manifest: Manifest = { ...about, blobs: blobs && { count: counts.blobs, bytes: counts.bytes } };
  const unfinished = `${manifestFile(dir)}.new`;
  await writePrivately(unfinished, `${JSON.stringify(manifest, null, 2)}\n`);
  await rename(unfinished, manifestFile(dir));
  await fsyncFolder(dir);
  const rows = Object.values(about.tables).reduce((sum, table) => sum + table.rows, 0);
  return { dir, rows, ...counts };
}
