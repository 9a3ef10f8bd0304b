import { ECDH } from 'node:crypto';
import type { OperatorKeyList } from '@satchel/contract/abuse';
import { AppError } from '@satchel/contract/errors';
import { and, desc, eq, inArray, ne, sql } from 'drizzle-orm';
import { type Db, inTransaction, type Queryable, type Tx } from '../platform/db.ts';
import { operator_keys } from '../platform/schema.ts';
import { type Operator, recordAct } from './operator-acts.ts';

/** To whom a reporter may seal what opens a folder (docs/abuse.md). The private halves never come here. */

/** One for each browser that an operator works with, and a few to spare. */
const KEYS_OF_ONE_MAX = 4;
/** A report has room for so many. */
const KEYS_MAX = 20;
const LOCK = 7_234_118;

/** The keys of those who are operators today, the newest first. */
export async function listOperatorKeys(db: Queryable, operators: readonly Operator[]): Promise<OperatorKeyList> {
  return db
    .select({ id: operator_keys.id, public_key: operator_keys.public_key })
    .from(operator_keys)
    .where(inArray(operator_keys.discord_id, [...operators]))
    .orderBy(desc(operator_keys.created_at), desc(operator_keys.id))
    .limit(KEYS_MAX);
}

/** @throws request.invalid for what is no point of P-256: nobody could open what is sealed to it */
function requirePoint(publicKey: string): void {
  const point = Buffer.from(publicKey, 'base64url');
  try {
    // The one form that Web Crypto's `raw` has: a leading 4 and both coordinates.
    if (point.length !== 65 || point[0] !== 4) throw new Error('not an uncompressed point');
    ECDH.convertKey(point, 'prime256v1');
  } catch (error) {
    throw new AppError('request.invalid', { message: 'public_key: no point of P-256' }, { cause: error });
  }
}

async function remove(
  tx: Tx,
  operator: Operator,
  { id, detail }: { id: string; detail: string | null },
): Promise<boolean> {
  const [removed] = await tx
    .delete(operator_keys)
    .where(and(eq(operator_keys.id, id), eq(operator_keys.discord_id, operator)))
    .returning({ id: operator_keys.id });
  if (removed) await recordAct(tx, operator, { act: 'remove_key', target: id, detail });
  return removed !== undefined;
}

/**
 * Adds a key. One too many takes the place of the oldest: that of a browser which is long gone, as nobody else can say.
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
    for (const { id } of beyond) await remove(tx, operator, { id, detail: 'replaced' });
    return made!;
  });
}

/** @throws request.not_found also for another operator's */
export async function removeOperatorKey(db: Db, operator: Operator, id: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!(await remove(tx, operator, { id, detail: null }))) throw new AppError('request.not_found');
  });
}
