import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { MIB } from '@satchel/contract/limits';
import type { Tiers } from '@satchel/contract/tiers';
import { type SQL, sql } from 'drizzle-orm';
import { insertParts } from '../../domain/files/blob-parts.ts';
import { type BlobPart, type BlobStore, WHOLE, wholeBlob } from '../../platform/blobs/blobs.ts';
import {
  type Db,
  inTransaction,
  migrate,
  newestMigration,
  type Queryable,
  rowsOf,
} from '../../platform/database/db.ts';
import { isMissing } from '../../platform/durable-file.ts';
import type { LocalKeyShares } from '../../platform/keys/key-shares.ts';
import type { JournalReader } from '../../platform/keys/taken-back-journal.ts';
import { readSiteId } from '../../platform/site/site-id.ts';
import { checkBlobs } from '../check-blobs.ts';
import { checkKeys } from '../check-keys.ts';
import type { Finding, FindingKind } from '../findings.ts';
import {
  BackupError,
  blobFile,
  inBatches,
  KEPT_TABLES,
  linesOf,
  type Manifest,
  type NamedBlob,
  namedBlobs,
  readManifest,
  tableFile,
} from './format.ts';
import { closeEverything, isJournalLost, LOST_JOURNAL, type Replayed, replay } from './replay.ts';

/**
 * Restores a backup into a site that is stopped and has no rows. A backup of the rows alone goes beside the blobs that
 * are in place, as when the database becomes another one.
 */

export interface RestoreDeps {
  readonly db: Db;
  readonly blobs: BlobStore;
  /** Null when a key service on another machine stores them. */
  readonly keyShares: LocalKeyShares | null;
  /** What was taken back since the backup, here or at the key service. */
  readonly journal: JournalReader;
  readonly tiers: Tiers;
  readonly dataDir: string;
  readonly dir: string;
  /** Called with each thing that has to be known before the restore begins. */
  readonly say: (line: string) => void;
}

interface StoredBlobs {
  blobs: number;
  bytes: number;
  /** Keys of blobs whose bytes differ from what their rows say. */
  damaged: string[];
  /** The parts that need rows, by the keys of their blobs. */
  parts: Map<string, readonly BlobPart[]>;
}

interface Dropped {
  readonly files: number;
  readonly stills: number;
  readonly open_uploads: number;
  /** Private links without their key share: their folders open no more, but in browsers that remember the key. */
  readonly private_links: number;
}

export interface RestoreReport extends Readonly<Omit<StoredBlobs, 'parts'>> {
  readonly made_at: string;
  readonly rows: number;
  /** How many blobs are missing that the backup had when it was made. */
  readonly missing: number;
  /** Rows of the backup whose bytes, or whose key share, are not there. */
  readonly dropped: Dropped;
  /** What is taken back again. */
  readonly taken_back: Replayed;
}

/** Rows of one statement. */
const ROWS = 500;
/** Blobs under way at once: each small one waits for the store or the disk. */
const AT_ONCE = 8;
/** Blobs up to this size are stored in one piece. */
const PIECE_BYTES = MIB;
/**
 * Added to the leases of uploads whose parts may have been followed by others since the backup: a writer's parts are
 * named after its lease, and must not have the name of one that is there.
 */
const LEASES_SINCE = 1_000_000;

async function requireEmpty({ db, blobs }: RestoreDeps, manifest: Manifest): Promise<void> {
  for (const table of KEPT_TABLES) {
    const some = await db.execute(sql`select from ${sql.identifier(table)} limit 1`);
    if (rowsOf(some).length > 0) {
      throw new BackupError(`DATABASE_URL: the table ${table} has rows; a restore needs an empty database`);
    }
  }
  if (!manifest.blobs) return;
  for await (const { blob_key } of blobs.list('')) {
    throw new BackupError(`the store of files is not empty (${blob_key}): a restore needs an empty one`);
  }
}

/** @returns the parts that need rows; null when the bytes are not what the row says */
async function storeBlob(store: BlobStore, path: string, blob: NamedBlob): Promise<readonly BlobPart[] | null> {
  const { blobKey, bytes, checksum } = blob;
  if ((await stat(path)).size !== bytes) return null;
  if (bytes <= PIECE_BYTES) {
    const content = await readFile(path);
    if (crc32(content) !== checksum) return null;
    await store.put(blobKey, [content]);
    return [];
  }
  const writer = await store.append({ blobKey, epoch: 1, offsetBytes: 0, last: { start: 0, name: WHOLE } });
  let sum = 0;
  let parts: readonly BlobPart[];
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: PIECE_BYTES })) {
      sum = crc32(chunk, sum);
      await writer.write([chunk]);
    }
    parts = await writer.sync(bytes);
  } finally {
    await writer.close();
  }
  if (sum === checksum) return parts;
  const failed = await store.delete([{ ...wholeBlob(blobKey), parts }]);
  for (const reason of failed.values()) throw reason;
  return null;
}

async function storeBlobs({ blobs: store, dir }: RestoreDeps): Promise<StoredBlobs> {
  const done: StoredBlobs = { blobs: 0, bytes: 0, damaged: [], parts: new Map() };
  const takeBlob = async (blob: NamedBlob): Promise<void> => {
    try {
      const parts = await storeBlob(store, blobFile(dir, blob.blobKey), blob);
      if (parts === null) {
        done.damaged.push(blob.blobKey);
        return;
      }
      done.blobs += 1;
      done.bytes += blob.bytes;
      if (parts.length > 0) done.parts.set(blob.blobKey, parts);
    } catch (error) {
      // It was deleted while the backup ran, or the backup has lost it since.
      if (!isMissing(error)) throw error;
    }
  };
  for await (const some of inBatches(namedBlobs(dir), AT_ONCE)) await Promise.all(some.map(takeBlob));
  return done;
}

async function insertRows(tx: Queryable, dir: string, manifest: Manifest): Promise<number> {
  let count = 0;
  for (const table of KEPT_TABLES) {
    // Parts describe the store that the blobs came from; the new store has its own.
    if (table === 'blob_parts' && manifest.blobs) continue;
    const name = sql.identifier(table);
    for await (const lines of inBatches(linesOf(tableFile(dir, table)), ROWS)) {
      const rows = `[${lines.join(',')}]`;
      await tx.execute(sql`insert into ${name} select * from json_populate_recordset(null::${name}, ${rows}::json)`);
      count += lines.length;
    }
  }
  return count;
}

/** The database belongs to the directory's site, or else to the backup's site. */
async function writeSite(tx: Queryable, { site_id }: Manifest, dataDir: string): Promise<void> {
  const id = (await readSiteId(dataDir)) ?? site_id;
  if (id === null) return;
  await tx.execute(sql`
    insert into site (role, id) select role, coalesce((select id from site limit 1), ${id}::uuid)
    from unnest(array['site', 'keys']) as role on conflict do nothing`);
}

/** The ids or keys that findings of some kinds name. */
function named(findings: readonly Finding[], what: string, ...kinds: FindingKind[]): SQL {
  const ids = findings.filter(({ kind }) => kinds.includes(kind)).map(({ detail }) => String(detail[what]));
  return sql`string_to_array(${[...new Set(ids)].join(',')}::text, ',')::uuid[]`;
}

const countOf = async (tx: Queryable, statement: SQL): Promise<number> => rowsOf(await tx.execute(statement)).length;

async function dropBlobless(tx: Queryable, findings: readonly Finding[]): Promise<Omit<Dropped, 'private_links'>> {
  const files = named(findings, 'file', 'file_blob_missing', 'file_blob_size');
  const stills = named(findings, 'file', 'still_blob_missing', 'still_blob_size');
  const uploads = named(findings, 'upload', 'upload_blob_missing', 'upload_blob_short');
  const cut = named(findings, 'blob', 'file_blob_size', 'still_blob_size', 'upload_blob_short', 'blob_unclaimed');
  // The still of a file that is dropped has no row any more.
  await tx.execute(sql`
    insert into blob_removals (blob_key) select unnest(${cut})
    union select still_key from files where id = any(${files}) and still_key is not null`);
  const dropped = {
    files: await countOf(tx, sql`delete from files where id = any(${files}) returning id`),
    stills: await countOf(
      tx,
      sql`update files set still_key = null, still_small_bytes = null, still_large_bytes = null, still_checksum = null
        where id = any(${stills}) returning id`,
    ),
    open_uploads: await countOf(tx, sql`delete from uploads where id = any(${uploads}) returning id`),
  };
  await tx.execute(sql`
    delete from blob_parts where not exists (select from files where files.blob_key = blob_parts.blob_key)
    and not exists (select from files where files.still_key = blob_parts.blob_key)
    and not exists (select from uploads where uploads.blob_key = blob_parts.blob_key and completed_at is null)
    and not exists (select from blob_removals where blob_removals.blob_key = blob_parts.blob_key)`);
  return dropped;
}

/** The sums that folders and accounts keep. */
async function sumUp(tx: Queryable): Promise<void> {
  await tx.execute(sql`
    update folders set
      size_bytes = (select coalesce(sum(files.size_bytes), 0) from files where folder_id = folders.id),
      file_count = (select count(*) from files where folder_id = folders.id)`);
  await tx.execute(sql`
    update profiles set
      used_bytes = (
        select coalesce(sum(files.size_bytes + coalesce(still_small_bytes, 0) + coalesce(still_large_bytes, 0)), 0)
        from files join folders on folders.id = folder_id where owner_profile_id = profiles.id),
      reserved_bytes = (
        select coalesce(sum(length_bytes), 0) from uploads where profile_id = profiles.id and completed_at is null)`);
}

/**
 * Makes the rows match the bytes and key shares that are there: what has none is dropped, and bytes that no row names are
 * queued for the sweep. Afterwards `fsck` finds nothing.
 */
async function matchRows(tx: Queryable, { blobs, keyShares, tiers }: RestoreDeps): Promise<Dropped> {
  const { findings } = await checkBlobs({ db: tx, blobs, pauseMs: 0, reads: 'nothing' });
  const dropped = await dropBlobless(tx, findings);
  await sumUp(tx);
  if (keyShares === null) return { ...dropped, private_links: 0 };
  const keys = await checkKeys({ db: tx, keyShares, tiers, pauseMs: 0 });
  const lost = named(keys.findings, 'folder', 'share_missing');
  const private_links = await countOf(
    tx,
    sql`delete from temp_encryption_keys where folder_id = any(${lost}) returning folder_id`,
  );
  return { ...dropped, private_links };
}

/**
 * The caller holds the lock of the site. Rows come in one transaction: a restore that fails leaves none.
 * @throws BackupError
 */
export async function restore(deps: RestoreDeps): Promise<RestoreReport> {
  const { db, dir, dataDir } = deps;
  const manifest = await readManifest(dir);
  const { schema_step: step } = manifest;
  if (step !== newestMigration) {
    throw new BackupError(
      `the backup is at step ${step} of the schema, and this version knows step ${newestMigration}: restore it with the version that made it`,
    );
  }
  await migrate(db);
  await requireEmpty(deps, manifest);
  const journal = await deps.journal.read();
  const isLost = isJournalLost(journal, manifest);
  if (isLost) for (const line of LOST_JOURNAL) deps.say(line);
  const { parts, ...stored }: StoredBlobs = manifest.blobs
    ? await storeBlobs(deps)
    : { blobs: 0, bytes: 0, damaged: [], parts: new Map() };
  const { rows, taken_back, dropped } = await inTransaction(db, async (tx) => {
    // The blobs are listed in between.
    await tx.execute(sql`set local idle_in_transaction_session_timeout = 0`);
    const rows = await insertRows(tx, dir, manifest);
    for (const [blobKey, own] of parts) await insertParts(tx, blobKey, own);
    await writeSite(tx, manifest, dataDir);
    if (!manifest.blobs) {
      await tx.execute(sql`update uploads set lease_epoch = lease_epoch + ${LEASES_SINCE}::integer`);
    }
    const taken_back = await replay(tx, journal.entries);
    if (isLost) Object.assign(taken_back, await closeEverything(tx));
    const dropped = await matchRows(tx, deps);
    // What this transaction deleted is in the journal, or never was anybody's act.
    await tx.execute(sql`delete from taken_back`);
    return { rows, taken_back, dropped };
  });
  const missing = manifest.blobs ? manifest.blobs.count - stored.blobs - stored.damaged.length : 0;
  return { made_at: manifest.made_at, rows, ...stored, missing, dropped, taken_back };
}
