import { isSealedName } from '@satchel/contract/naming';
import { PARTS_TYPE, type PartAddresses } from '@satchel/contract/wire/direct-reads';
import { sql } from 'drizzle-orm';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FolderRow } from '../../domain/access/find-folder.ts';
import { eTagOf, type FoundFile } from '../../domain/files/files.ts';
import type { DirectAccess } from '../../platform/blobs/direct/direct-access.ts';
import { type Queryable, rowsOf } from '../../platform/database/db.ts';
import { parseRange, rangeCounts } from './byte-range.ts';

/**
 * Addresses of a file's parts in the store, for readers that accept them (docs/decisions/031). Such a reader opens what it
 * fetches with the folder's key, so what it gets needs none of the headers that a browser obeys. Files of plain folders
 * always come from this server.
 */

/** What was taken down, replaced or restricted may still be fetched for as long. */
const VALID_SECONDS = 60;

/** Whether its sender takes addresses instead of bytes. */
export const takesAddresses = ({ method, headers }: FastifyRequest): boolean =>
  method === 'GET' && headers['if-none-match'] === undefined && (headers.accept?.includes(PARTS_TYPE) ?? false);

/** By the database's clock, as all that expires. */
async function validityOf(db: Queryable, folder: FolderRow) {
  const [row] = rowsOf<{ now_ms: number }>(
    await db.execute(sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms`),
  );
  const now = new Date(row!.now_ms);
  const leftSeconds = Math.floor((folder.expires_at.getTime() - now.getTime()) / 1000);
  return { now, seconds: Math.min(VALID_SECONDS, leftSeconds) };
}

interface Found {
  readonly folder: FolderRow;
  readonly file: FoundFile;
}

/**
 * Answers with addresses.
 * @param found what this requester may read
 * @returns null when the bytes have to come from this server
 */
export async function sendAddresses(
  { db, direct }: { readonly db: Queryable; readonly direct: DirectAccess },
  request: FastifyRequest,
  reply: FastifyReply,
  { folder, file }: Found,
): Promise<FastifyReply | null> {
  if (folder.link_mode === 'plain' || !isSealedName(file.name) || file.size_bytes === 0) return null;
  const eTag = eTagOf(file);
  const { range: header, 'if-range': ifRange } = request.headers;
  const asked = rangeCounts(ifRange?.toString(), eTag) ? parseRange(header, file.size_bytes) : 'whole';
  if (asked === 'unsatisfiable') return null;
  const range = asked === 'whole' ? { start: 0, end: file.size_bytes } : asked;
  const validity = await validityOf(db, folder);
  if (validity.seconds < 1) return null;
  const blob = { blobKey: file.blob_key, parts: file.parts ?? [] };
  const answer: PartAddresses = {
    size_bytes: file.size_bytes,
    valid_seconds: validity.seconds,
    parts: await direct.addressesOf(blob, file.size_bytes, range, validity),
  };
  return (
    reply
      .headers({ 'content-type': PARTS_TYPE, 'cache-control': 'private, no-store', vary: 'accept', etag: eTag })
      // Not a text, which would get a charset.
      .send(Buffer.from(JSON.stringify(answer)))
  );
}
