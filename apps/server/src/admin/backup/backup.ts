import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import type { BlobStore } from '../../platform/blobs/blobs.ts';
import { type Db, inSnapshot, type Queryable, rowsOf, schemaStepOf } from '../../platform/database/db.ts';
import { fsyncFolder } from '../../platform/durable-file.ts';
import { requireWritable } from '../../platform/site/own-folders.ts';
import type { Finding } from '../findings.ts';
import { type BlobOfRow, type CopyDeps, namedBlobs, takeBlob } from './copy-blobs.ts';
import { linesOf, type WrittenLines, writeLines } from './line-files.ts';
import { BackupError, blobListFile, type Manifest, tableFile, writeManifest } from './manifest.ts';
import { allOf, jsonRows, type KeptTable, privateLinks, tablesIn } from './tables.ts';

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
  /** True for a backup without the keys of Discord links. */
  readonly leavesOutSealedKeys?: boolean;
}

export interface BackupReport {
  readonly dir: string;
  readonly rows: number;
  readonly blobs: number;
  readonly bytes: number;
  /** Of the blobs those that are links to the files of the site. */
  readonly linked: number;
  /** Blobs that were deleted while the backup ran. */
  readonly deleted_during_backup: number;
  readonly findings: readonly Finding[];
}

/** Blobs under way at once: each small one waits for the store or the disk. */
const AT_ONCE = 8;
const SNAPSHOT_BLOBS = 'blobs-of-snapshot.jsonl';

/** @throws NotWritableError, BackupError */
async function makeFolder(dir: string): Promise<void> {
  await requireWritable('DIR', dir);
  if ((await readdir(dir)).length > 0) throw new BackupError(`${dir} is not empty: a backup gets a folder of its own`);
  await mkdir(join(dir, 'tables'), { mode: 0o700 });
}

async function about(tx: Queryable): Promise<Pick<Manifest, 'made_at' | 'schema_step' | 'postgres' | 'site_id'>> {
  const [row] = rowsOf<{ made_at: string; postgres: string }>(
    await tx.execute(sql`
      select to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as made_at,
        current_setting('server_version') as postgres`),
  );
  const hasSite = rowsOf<{ name: string | null }>(await tx.execute(sql`select to_regclass('site')::text as name`));
  const site =
    hasSite[0]?.name == null ? [] : rowsOf<{ id: string }>(await tx.execute(sql`select id from site limit 1`));
  return { ...row!, schema_step: await schemaStepOf(tx), site_id: site[0]?.id ?? null };
}

/** Writes the rows, and the list of blobs that they name. */
async function writeRows({
  db,
  dir,
  blobs,
  leavesOutSealedKeys = false,
}: BackupDeps): Promise<Omit<Manifest, 'blobs'>> {
  return inSnapshot(db, async (tx) => {
    // Of the connection's limits only that of an idle transaction could end a long look.
    await tx.execute(sql`set local idle_in_transaction_session_timeout = 0`);
    const tables: Partial<Record<KeptTable, WrittenLines>> = {};
    const known = await about(tx);
    const rowsOfBackup = (table: KeptTable) =>
      leavesOutSealedKeys && table === 'temp_encryption_keys' ? privateLinks() : allOf(table);
    for (const table of await tablesIn(tx)) {
      tables[table] = await writeLines(tableFile(dir, table), jsonRows(tx, rowsOfBackup(table)));
    }
    if (blobs) await writeLines(join(dir, SNAPSHOT_BLOBS), jsonRows(tx, namedBlobs()));
    return { format: 1, ...known, tables };
  });
}

interface BlobCounts {
  bytes: number;
  linked: number;
  deleted_during_backup: number;
  findings: Finding[];
}

async function* takeBlobs(deps: CopyDeps, counts: BlobCounts): AsyncGenerator<readonly string[]> {
  for await (const lines of linesOf(join(deps.dir, SNAPSHOT_BLOBS), AT_ONCE)) {
    const taken = await Promise.all(lines.map((line) => takeBlob(deps, JSON.parse(line) as BlobOfRow)));
    const written: string[] = [];
    for (const one of taken) {
      if (one.blob) {
        counts.bytes += one.blob.bytes;
        counts.linked += one.isLinked ? 1 : 0;
        written.push(JSON.stringify(one.blob));
      } else if (one.finding) counts.findings.push(one.finding);
      else counts.deleted_during_backup += 1;
    }
    yield written;
  }
}

/** Makes the names of the copied blobs durable. */
async function syncFolders(blobsDir: string): Promise<void> {
  if (!existsSync(blobsDir)) return;
  for (const shard of await readdir(blobsDir)) await fsyncFolder(join(blobsDir, shard));
  await fsyncFolder(blobsDir);
}

/** @throws NotWritableError, BackupError */
export async function backup(deps: BackupDeps): Promise<BackupReport> {
  const { db, blobs, dir } = deps;
  await makeFolder(dir);
  const rows = await writeRows(deps);
  const counts: BlobCounts = { bytes: 0, linked: 0, deleted_during_backup: 0, findings: [] };
  let written: WrittenLines | null = null;
  if (blobs) {
    written = await writeLines(blobListFile(dir), takeBlobs({ db, blobs, dir }, counts));
    await rm(join(dir, SNAPSHOT_BLOBS));
    await syncFolders(join(dir, 'blobs'));
  }
  await fsyncFolder(join(dir, 'tables'));
  await writeManifest(dir, { ...rows, blobs: written && { ...written, bytes: counts.bytes } });
  const all = Object.values(rows.tables).reduce((sum, table) => sum + table.rows, 0);
  return { dir, rows: all, blobs: written?.rows ?? 0, ...counts };
}
