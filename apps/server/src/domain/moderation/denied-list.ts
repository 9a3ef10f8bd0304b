import type { DeniedBlobInput, DeniedBlobList, DeniedBlobsQuery } from '@satchel/contract/abuse';
import { AppError } from '@satchel/contract/errors';
import { desc, eq, sql } from 'drizzle-orm';
import type { z } from 'zod';
import { type Db, inTransaction, type Queryable } from '../../platform/database/db.ts';
import { denied_blobs } from '../../platform/schema/moderation.ts';
import { type Operator, recordAct } from './audit-log.ts';

/** The operators' list of denied bytes; files/denied-blobs refuses the bytes on it. */

/** Denies bytes, or changes the reason of their denial. */
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

/** The newest entries, or the entries after one of them. */
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
