import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import type { DeniedBlobInput, DeniedBlobList, DeniedBlobsQuery } from '@satchel/contract/abuse';
import { AppError } from '@satchel/contract/errors';
import { desc, eq, sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { BlobStore } from '../platform/blobs.ts';
import { type Db, inTransaction, type Queryable } from '../platform/db.ts';
import { denied_blobs } from '../platform/schema.ts';
import { type Operator, recordAct } from './operator-acts.ts';

/** Bytes that nobody may store again, by the hash of what is stored: of a sealed file its ciphertext. */

/** SHA-256 of a stored blob, hex; read in the store's two buffers, and never whole in memory. */
export async function hashBlob(blobs: BlobStore, blobKey: string, sizeBytes: number): Promise<string> {
  const hash = createHash('sha256');
  const sink = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      hash.update(chunk);
      done();
    },
  });
  const blob = await blobs.open(blobKey);
  try {
    await blob.send({ start: 0, end: sizeBytes }, sink);
  } finally {
    await blob.close();
  }
  return hash.digest('hex');
}

/** True when something of exactly that size is denied: only then is anything hashed. */
export async function isSizeDenied(db: Queryable, sizeBytes: number): Promise<boolean> {
  const [denied] = await db
    .select({ sha256: denied_blobs.sha256 })
    .from(denied_blobs)
    .where(eq(denied_blobs.size_bytes, sizeBytes))
    .limit(1);
  return denied !== undefined;
}

/** @throws upload.denied */
export async function refuseDenied(db: Queryable, sha256: string): Promise<void> {
  const [denied] = await db.select().from(denied_blobs).where(eq(denied_blobs.sha256, sha256));
  if (denied) throw new AppError('upload.denied');
}

/** Denies bytes, or gives them another reason. */
export async function denyBlob(db: Db, operator: Operator, { reason, ...blob }: DeniedBlobInput): Promise<void> {
  await inTransaction(db, async (tx) => {
    const { sha256, size_bytes } = blob;
    await tx
      .insert(denied_blobs)
      .values({ ...blob, reason })
      .onConflictDoUpdate({ target: denied_blobs.sha256, set: { size_bytes, reason } });
    await recordAct(tx, operator, { act: 'deny', target: sha256, detail: reason });
  });
}

/** @throws request.not_found */
export async function allowBlob(db: Db, operator: Operator, sha256: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const [allowed] = await tx.delete(denied_blobs).where(eq(denied_blobs.sha256, sha256)).returning();
    if (!allowed) throw new AppError('request.not_found');
    await recordAct(tx, operator, { act: 'allow', target: sha256, detail: null });
  });
}

const PAGE = 50;

/** The newest, or those behind one of them. */
export async function listDeniedBlobs(
  db: Queryable,
  { before, before_id }: z.output<typeof DeniedBlobsQuery>,
): Promise<DeniedBlobList> {
  const rows = await db
    .select()
    .from(denied_blobs)
    .where(
      before === undefined
        ? undefined
        : sql`(${denied_blobs.created_at}, ${denied_blobs.sha256}) < (${before}::timestamptz, ${before_id}::text)`,
    )
    .orderBy(desc(denied_blobs.created_at), desc(denied_blobs.sha256))
    .limit(PAGE + 1);
  const page = rows.slice(0, PAGE).map((denied) => ({ ...denied, created_at: denied.created_at.toISOString() }));
  return { denied_blobs: page, has_more: rows.length > PAGE };
}
