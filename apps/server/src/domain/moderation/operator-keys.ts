import { ECDH } from 'node:crypto';
import type { OperatorKeyList } from '@satchel/contract/abuse';
import { AppError } from '@satchel/contract/errors';
import { and, desc, eq, inArray, ne, sql } from 'drizzle-orm';
import { type Db, inTransaction, type Queryable, type Tx } from '../../platform/database/db.ts';
import { operator_keys } from '../../platform/schema/moderation.ts';
import { type Operator, recordAct } from './audit-log.ts';

/**
 * The public keys to which reporters seal the keys of a folder (docs/abuse.md). The private keys never reach the
 * server.
 */

/** One key for each browser of an operator, and a few to spare. */
const KEYS_OF_ONE_MAX = 4;
/** Keys that a report has room for. */
const KEYS_MAX = 20;
const LOCK = 7_234_118;

/** The keys of the current operators, newest first. */
export async function listOperatorKeys(db: Queryable, operators: readonly Operator[]): Promise<OperatorKeyList> {
  return db
    .select({ id: operator_keys.id, public_key: operator_keys.public_key })
    .from(operator_keys)
    .where(inArray(operator_keys.discord_id, [...operators]))
    .orderBy(desc(operator_keys.created_at), desc(operator_keys.id))
    .limit(KEYS_MAX);
}

/** @throws request.invalid for bytes that are no point of P-256: a key sealed to them could never be opened */
function requirePoint(publicKey: string): void {
  const point = Buffer.from(publicKey, 'base64url');
  try {
    // The format that Web Crypto calls `raw`: a leading 4 and both coordinates.
    if (point.length !== 65 || point[0] !== 4) throw new Error('not an uncompressed point');
    ECDH.convertKey(point, 'prime256v1');
  } catch (error) {
    throw new AppError('request.invalid', { message: 'public_key: no point of P-256' }, { cause: error });
  }
}

async function deleteKey(
  tx: Tx,
  operator: Operator,
  { id, detail }: { id: string; detail: string | null },
): Promise<boolean> {
  const [deleted] = await tx
    .delete(operator_keys)
    .where(and(eq(operator_keys.id, id), eq(operator_keys.discord_id, operator)))
    .returning({ id: operator_keys.id });
  if (deleted) await recordAct(tx, operator, { act: 'remove_key', target: id, detail });
  return deleted !== undefined;
}

/**
 * Adds a key. A key beyond the limit replaces the oldest, whose browser is the least likely to be in use.
 * @throws request.invalid
 */
export async function addOperatorKey(db: Db, operator: Operator, publicKey: string): Promise<{ id: string }> {
  requirePoint(publicKey);
  return inTransaction(db, async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${LOCK}::integer, hashtext(${operator}::text))`);
    const [made] = await tx
      .insert(operator_keys)
      .values({ discord_id: operator, public_key: publicKey, created_at: sql`clock_timestamp()` })
      .returning({ id: operator_keys.id });
    await recordAct(tx, operator, { act: 'add_key', target: made!.id, detail: null });
    const beyond = await tx
      .select({ id: operator_keys.id })
      .from(operator_keys)
      .where(and(eq(operator_keys.discord_id, operator), ne(operator_keys.id, made!.id)))
      .orderBy(desc(operator_keys.created_at), desc(operator_keys.id))
      .offset(KEYS_OF_ONE_MAX - 1);
    for (const { id } of beyond) await deleteKey(tx, operator, { id, detail: 'replaced' });
    return made!;
  });
}

/** @throws request.not_found, also for a key of another operator */
export async function deleteOperatorKey(db: Db, operator: Operator, id: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!(await deleteKey(tx, operator, { id, detail: null }))) throw new AppError('request.not_found');
  });
}
