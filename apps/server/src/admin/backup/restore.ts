import type { Tiers } from '@satchel/contract/tiers';
import { sql } from 'drizzle-orm';
import type { BlobStore } from '../../platform/blobs/blobs.ts';
import {
  type Db,
  inTransaction,
  migrateTo,
  newestMigration,
  type Queryable,
  rowsOf,
  schemaStepOf,
} from '../../platform/database/db.ts';
import type { LocalKeyShares } from '../../platform/keys/key-shares.ts';
import { readSiteId } from '../../platform/site/site-id.ts';
import { linesOf } from './line-files.ts';
import { BackupError, type Manifest, readManifest, tableFile } from './manifest.ts';
import { type Dropped, matchRows } from './match-rows.ts';
import { type StoredBlobs, storeBlobs } from './restore-blobs.ts';
import { insertJson, KEPT_TABLES, tablesIn } from './tables.ts';

/**
 * Restores a backup into a site that is stopped and has no rows. A backup of the rows alone goes beside the blobs that
 * are in place, as after a migration that is to be undone.
 */

export interface RestoreDeps {
  readonly db: Db;
  readonly blobs: BlobStore;
  /** Null when a key service on another machine stores them. */
  readonly keyShares: LocalKeyShares | null;
  readonly tiers: Tiers;
  readonly dataDir: string;
  readonly dir: string;
}

export interface RestoreReport {
  readonly made_at: string;
  readonly schema_step: number;
  readonly rows: number;
  readonly blobs: number;
  readonly bytes: number;
  /** Blobs of the backup whose bytes are not those that it had when it was made. */
  readonly damaged: readonly string[];
  /** Rows of the backup whose bytes, or whose key share, are not there. */
  readonly dropped: Dropped;
}

/** Rows of one statement. */
const ROWS = 500;
/**
 * Added to the leases of uploads whose parts may have been followed by others since the backup: a writer's parts are
 * named after its lease, and must not have the name of one that is there.
 */
const LEASES_SINCE = 1_000_000;

async function requireNoBlobs(blobs: BlobStore): Promise<void> {
  for await (const { blob_key } of blobs.list('')) {
    throw new BackupError(`the store of files is not empty (${blob_key}): a restore needs an empty one`);
  }
}

async function requireNoRows(db: Queryable): Promise<void> {
  for (const table of await tablesIn(db)) {
    const some = await db.execute(sql`select from ${sql.identifier(table)} limit 1`);
    if (rowsOf(some).length > 0) {
      throw new BackupError(`DATABASE_URL: the table ${table} has rows; a restore needs an empty database`);
    }
  }
}

/** Gives an empty database the schema of the backup, so that later steps change its rows as an upgrade would. */
async function prepareSchema(db: Db, { schema_step: step }: Manifest): Promise<void> {
  if (step > newestMigration) {
    throw new BackupError(
      `the backup is at step ${step} of the schema, and this version knows step ${newestMigration}: restore it with the version that made it`,
    );
  }
  const found = await schemaStepOf(db);
  if (found > step) {
    throw new BackupError(
      `DATABASE_URL: is at step ${found} of the schema and the backup at step ${step}; it needs a database without tables`,
    );
  }
  await migrateTo(db, step);
}

/** The database belongs to the directory's site, or else to that of the backup. */
async function writeSite(tx: Queryable, { site_id }: Manifest, dataDir: string): Promise<void> {
  const id = (await readSiteId(dataDir)) ?? site_id;
  if (id === null) return;
  await tx.execute(sql`
    insert into site (role, id) select role, coalesce((select id from site limit 1), ${id}::uuid)
    from unnest(array['site', 'keys']) as role on conflict do nothing`);
}

async function insertParts(tx: Queryable, parts: StoredBlobs['parts']): Promise<void> {
  for (let from = 0; from < parts.length; from += ROWS) {
    const rows = parts
      .slice(from, from + ROWS)
      .map(({ blob_key, start, name }) => ({ blob_key, start_bytes: start, name }));
    await insertJson(
      tx,
      'blob_parts',
      rows.map((row) => JSON.stringify(row)),
    );
  }
}

async function insertRows(tx: Queryable, { dir }: RestoreDeps, manifest: Manifest): Promise<number> {
  let count = 0;
  for (const table of KEPT_TABLES) {
    const expected = manifest.tables[table];
    // What blobs consist of belongs to the store that they were in.
    if (!expected || (table === 'blob_parts' && manifest.blobs)) continue;
    let found = 0;
    for await (const lines of linesOf(tableFile(dir, table), ROWS)) {
      await insertJson(tx, table, lines);
      found += lines.length;
    }
    if (found !== expected.rows)
      throw new BackupError(`${tableFile(dir, table)} has ${found} rows, not ${expected.rows}`);
    count += found;
  }
  return count;
}

const NO_BLOBS: StoredBlobs = { blobs: 0, bytes: 0, damaged: [], parts: [] };

/**
 * The caller holds the lock of the site. Rows come in one transaction: a restore that fails leaves none.
 * @throws BackupError
 */
export async function restore(deps: RestoreDeps): Promise<RestoreReport> {
  const { db, blobs, dir, dataDir } = deps;
  const manifest = await readManifest(dir);
  await requireNoRows(db);
  if (manifest.blobs) await requireNoBlobs(blobs);
  await prepareSchema(db, manifest);
  const stored = manifest.blobs ? await storeBlobs(blobs, dir) : NO_BLOBS;
  const { rows, dropped } = await inTransaction(db, async (tx) => {
    // The blobs are listed in between.
    await tx.execute(sql`set local idle_in_transaction_session_timeout = 0`);
    const rows = await insertRows(tx, deps, manifest);
    await insertParts(tx, stored.parts);
    await writeSite(tx, manifest, dataDir);
    if (!manifest.blobs) {
      await tx.execute(sql`update uploads set lease_epoch = lease_epoch + ${LEASES_SINCE}::integer`);
    }
    return { rows, dropped: await matchRows({ ...deps, tx }) };
  });
  await migrateTo(db);
  const { made_at, schema_step } = manifest;
  return { made_at, schema_step, rows, blobs: stored.blobs, bytes: stored.bytes, damaged: stored.damaged, dropped };
}
