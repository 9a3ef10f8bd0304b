import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { fsyncFolder, isMissing, writePrivately } from '../../platform/durable-file.ts';
import { hashOfFile } from './line-files.ts';
import { KEPT_TABLES, type KeptTable } from './tables.ts';

/** What a backup says of itself. It is written last: a folder without it is no backup. */

const FILE = 'manifest.json';
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Count = z.number().int().min(0);
const Lines = z.object({ rows: Count, sha256: Sha256 });

const Manifest = z.object({
  format: z.literal(1),
  made_at: z.string(),
  /** The step of the schema, as in the table `migrations`. */
  schema_step: Count,
  postgres: z.string(),
  site_id: z.uuid().nullable(),
  tables: z.partialRecord(z.enum(KEPT_TABLES), Lines),
  /** Null for a backup of the rows alone. */
  blobs: Lines.extend({ bytes: Count }).nullable(),
});
export type Manifest = z.output<typeof Manifest>;

/** A stored blob of a backup: its name becomes a path, so it is checked. */
export const BlobLine = z.object({ blob_key: z.uuid(), bytes: Count, sha256: Sha256 });
export type BlobLine = z.output<typeof BlobLine>;

/** A backup that can't be made or used, in one line. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

export const tableFile = (dir: string, table: KeptTable): string => join(dir, 'tables', `${table}.jsonl`);
export const blobListFile = (dir: string): string => join(dir, 'blobs.jsonl');
export const blobFile = (dir: string, blobKey: string): string => join(dir, 'blobs', blobKey.slice(0, 2), blobKey);

export async function writeManifest(dir: string, manifest: Manifest): Promise<void> {
  const unfinished = join(dir, `${FILE}.new`);
  await writePrivately(unfinished, `${JSON.stringify(manifest, null, 2)}\n`);
  await rename(unfinished, join(dir, FILE));
  await fsyncFolder(dir);
}

async function requireHash(path: string, expected: string): Promise<void> {
  const found = await hashOfFile(path).catch((error: unknown) => {
    if (isMissing(error)) return 'missing';
    throw error;
  });
  if (found !== expected) throw new BackupError(`${path} is not as the backup made it`);
}

/**
 * Reads what a backup says of itself, and checks its files but for the blobs.
 * @throws BackupError
 */
export async function readManifest(dir: string): Promise<Manifest> {
  const text = await readFile(join(dir, FILE), 'utf8').catch((error: unknown) => {
    if (isMissing(error)) throw new BackupError(`${dir} is no complete backup: it has no ${FILE}`);
    throw error;
  });
  let manifest: Manifest;
  try {
    manifest = Manifest.parse(JSON.parse(text));
  } catch {
    throw new BackupError(`${join(dir, FILE)} is not one that this version knows`);
  }
  for (const table of KEPT_TABLES) {
    const lines = manifest.tables[table];
    if (lines) await requireHash(tableFile(dir, table), lines.sha256);
  }
  if (manifest.blobs) await requireHash(blobListFile(dir), manifest.blobs.sha256);
  return manifest;
}
