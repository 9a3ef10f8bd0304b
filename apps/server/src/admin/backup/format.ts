import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isMissing } from '../../platform/durable-file.ts';

/**
 * What a backup is: a folder with the rows of each table, one as JSON a line, which every PostgreSQL reads the same; with the
 * blobs that those rows name; and with `manifest.json`, which is written last: a folder without it is no backup.
 */

/**
 * In the order in which they are filled: a row names only rows of tables before its own. A test says why a backup has no
 * other table.
 */
export const KEPT_TABLES = [
  'profiles',
  'sessions',
  'slugs',
  'folders',
  'temp_encryption_keys',
  'passphrase_tries',
  'files',
  'uploads',
  'gone_uploads',
  'blob_parts',
  'folder_activity',
  'folder_visitors',
  'folder_guests',
  'folder_shares',
  'reports',
  'operator_keys',
  'bans',
  'denied_blobs',
  'operator_acts',
  'site_switches',
  'discord_issuer',
  'guild_settings',
] as const;
export type KeptTable = (typeof KEPT_TABLES)[number];

const Count = z.number().int().min(0);
const Manifest = z.object({
  format: z.literal(1),
  made_at: z.string(),
  schema_step: Count,
  site_id: z.uuid().nullable(),
  tables: z.record(z.enum(KEPT_TABLES), z.object({ rows: Count, sha256: z.string() })),
  /** Null for a backup of the rows alone. */
  blobs: z.object({ count: Count, bytes: Count }).nullable(),
});
export type Manifest = z.output<typeof Manifest>;

/** Why a backup can't be made or used; the message is one line. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

export const manifestFile = (dir: string): string => join(dir, 'manifest.json');
export const tableFile = (dir: string, table: KeptTable): string => join(dir, 'tables', `${table}.jsonl`);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @throws BackupError when the key is no UUID, since it becomes part of a path */
export function blobFile(dir: string, blobKey: string): string {
  if (!UUID.test(blobKey)) throw new BackupError(`${JSON.stringify(blobKey)} is no name of a blob`);
  return join(dir, 'blobs', blobKey.slice(0, 2), blobKey);
}

export async function* linesOf(path: string): AsyncGenerator<string> {
  const file = await open(path);
  for await (const line of file.readLines()) yield line;
}

export async function* inBatches<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<readonly Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** A blob that a row of a backup names. */
export interface NamedBlob {
  readonly of: 'file' | 'still' | 'upload';
  readonly id: string;
  readonly blobKey: string;
  /** Every byte of a file or still; of an open upload, the acknowledged bytes. */
  readonly bytes: number;
  /** The CRC-32 of these bytes. */
  readonly checksum: number;
}

/** The blobs that the rows of a backup name. */
export async function* namedBlobs(dir: string): AsyncGenerator<NamedBlob> {
  for await (const line of linesOf(tableFile(dir, 'files'))) {
    const { id, ...row } = JSON.parse(line);
    yield { of: 'file', id, blobKey: row.blob_key, bytes: row.size_bytes, checksum: row.checksum };
    if (row.still_key === null) continue;
    const bytes = row.still_small_bytes + row.still_large_bytes;
    yield { of: 'still', id, blobKey: row.still_key, bytes, checksum: row.still_checksum };
  }
  for await (const line of linesOf(tableFile(dir, 'uploads'))) {
    const { id, blob_key: blobKey, offset_bytes: bytes, checksum, completed_at } = JSON.parse(line);
    if (completed_at === null && bytes > 0) yield { of: 'upload', id, blobKey, bytes, checksum };
  }
}

async function requireHash(path: string, expected: string): Promise<void> {
  const hash = createHash('sha256');
  try {
    for await (const bytes of createReadStream(path)) hash.update(bytes);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  if (hash.digest('hex') !== expected) throw new BackupError(`${path} is not as the backup made it`);
}

/**
 * Reads what a backup says of itself, and checks its rows.
 * @throws BackupError
 */
export async function readManifest(dir: string): Promise<Manifest> {
  const path = manifestFile(dir);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) throw new BackupError(`${dir} is no complete backup: it has no manifest.json`);
    throw error;
  });
  let manifest: Manifest;
  try {
    manifest = Manifest.parse(JSON.parse(text));
  } catch {
    throw new BackupError(`${path} is not one that this version knows`);
  }
  for (const table of KEPT_TABLES) await requireHash(tableFile(dir, table), manifest.tables[table].sha256);
  return manifest;
}
