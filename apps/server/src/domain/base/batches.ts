import { getTableName, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { type Queryable, rowsOf } from '../../platform/database/db.ts';

/** Deletes rows in small batches: short locks, and rows that another node has locked are skipped. */

/** Rows that one statement locks. */
const BATCH_ROWS = 500;

const someOf = (table: PgTable, which: SQL, since: PgColumn): SQL => sql`
  ctid = any(array(
    select ${sql.identifier(getTableName(table))}.ctid from ${table} where ${which}
    order by ${since} limit ${BATCH_ROWS} for update skip locked
  ))`;

/**
 * Condition that no row of `table` meets `which`, checked for each row by an index. Without `offset 0` the planner
 * makes a join of it and reads the whole table for a batch.
 */
export const hasNone = (table: PgTable, which: SQL): SQL =>
  sql`not exists (select from ${table} where ${which} offset 0)`;

/**
 * Deletes the rows that `which` selects. Its conditions on time use `now()`: with `clock_timestamp()`, which has
 * another value for each row, the planner can't use an index.
 * @param since the indexed time in that condition. The oldest rows are deleted first: without an order the planner
 * reads a large table from its start, and each batch would skip the rows of all batches before it
 * @param signal ends the deletion between two batches
 */
export async function deleteInBatches(
  db: Queryable,
  table: PgTable,
  { which, since }: { readonly which: SQL; readonly since: PgColumn },
  signal?: AbortSignal,
): Promise<void> {
  while (!signal?.aborted) {
    const deleted = await db.execute(sql`delete from ${table} where ${someOf(table, which, since)} returning 1`);
    if (rowsOf(deleted).length < BATCH_ROWS) return;
  }
}
