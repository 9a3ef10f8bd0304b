import { asc, inArray, type SQL, sql } from 'drizzle-orm';
import { type BlobPart, type BlobParts, WHOLE, wholeBlob } from '../../platform/blobs/blobs.ts';
import type { Queryable } from '../../platform/database/db.ts';
import { blob_parts } from '../../platform/schema/files.ts';

/** What blobs consist of: the database alone says it, and nearly all blobs have one part and no row. */

/** The parts of the blobs that a condition on their keys selects, in the order of their starts. */
export async function partRowsWhere(
  db: Queryable,
  which: (blobKey: SQL) => SQL,
): Promise<ReadonlyMap<string, readonly BlobPart[]>> {
  const rows = await db
    .select()
    .from(blob_parts)
    .where(which(sql`blob_key`))
    .orderBy(asc(blob_parts.blob_key), asc(blob_parts.start_bytes));
  const found = new Map<string, BlobPart[]>();
  for (const { blob_key, start_bytes: start, name } of rows) {
    const parts = found.get(blob_key);
    if (parts) parts.push({ start, name });
    else found.set(blob_key, [{ start, name }]);
  }
  return found;
}

/** The parts of blobs; blobs without rows are left out. */
export const partsOfBlobs = (db: Queryable, blobKeys: readonly string[]) =>
  partRowsWhere(db, () => inArray(blob_parts.blob_key, [...blobKeys]));

export async function blobOf(db: Queryable, blobKey: string): Promise<BlobParts> {
  const found = await partsOfBlobs(db, [blobKey]);
  return { blobKey, parts: found.get(blobKey) ?? wholeBlob(blobKey).parts };
}

/** Written out: drizzle leaves the table out of columns, and `blob_parts` has one of that name, too. */
const blobKeyOf = (table: 'files' | 'uploads'): SQL => sql.raw(`${table}.blob_key`);

/** The parts of a row's blob, for a row that is read anyway; null when the blob has no rows. */
export const partsColumn = (table: 'files' | 'uploads'): SQL<BlobPart[] | null> => sql<BlobPart[] | null>`(
  select json_agg(json_build_object('start', start_bytes, 'name', name) order by start_bytes)
  from blob_parts where blob_parts.blob_key = ${blobKeyOf(table)})`;

/** The last part of a row's blob; WHOLE when the blob has no rows. */
export const lastPartColumn = (table: 'files' | 'uploads'): SQL<BlobPart> => sql<BlobPart>`coalesce(
  (select json_build_object('start', start_bytes, 'name', name)
  from blob_parts where blob_parts.blob_key = ${blobKeyOf(table)} order by start_bytes desc limit 1),
  json_build_object('start', 0, 'name', ${WHOLE}::text))`;

/** Gives new parts their rows, in the transaction that acknowledges their bytes. */
export async function insertParts(db: Queryable, blobKey: string, parts: readonly BlobPart[]): Promise<void> {
  if (parts.length === 0) return;
  await db.insert(blob_parts).values(parts.map(({ start, name }) => ({ blob_key: blobKey, start_bytes: start, name })));
}

/** Deletes the rows of the parts of blobs that have been deleted from the store. */
export const deletePartRows = async (db: Queryable, blobKeys: readonly string[]): Promise<void> =>
  void (await db.delete(blob_parts).where(inArray(blob_parts.blob_key, [...blobKeys])));
