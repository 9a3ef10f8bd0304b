import type { ActList, OperatorAct } from '@satchel/contract/abuse';
import { desc, sql } from 'drizzle-orm';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import { operator_acts } from '../../platform/schema/moderation.ts';

/** The audit log: one row for every act of an operator, committed with the act and never changed. */

/** An operator's Discord id: entries outlive accounts. */
export type Operator = string;

const PAGE = 50;

/**
 * Adds an act to the audit log.
 * @param tx the transaction of the act itself
 * @param target a report's id, a slug, a Discord id, a hash or a key's id
 */
export async function recordAct(
  tx: Tx,
  operator: Operator,
  { act, target, detail }: Pick<OperatorAct, 'act' | 'target' | 'detail'>,
): Promise<void> {
  await tx
    .insert(operator_acts)
    .values({ operator_discord_id: operator, act, target, detail, at: sql`clock_timestamp()` });
}

/** The newest acts, or the acts before one of them. */
export async function listActs(db: Queryable, before: string | undefined): Promise<ActList> {
  const rows = await db
    .select()
    .from(operator_acts)
    .where(
      before === undefined
        ? undefined
        : sql`(${operator_acts.at}, ${operator_acts.id}) < (select at, id from operator_acts where id = ${before}::uuid)`,
    )
    .orderBy(desc(operator_acts.at), desc(operator_acts.id))
    .limit(PAGE + 1);
  const acts = rows
    .slice(0, PAGE)
    .map((row) => ({ ...row, act: row.act as OperatorAct['act'], at: row.at.toISOString() }));
  return { acts, has_more: rows.length > PAGE };
}
