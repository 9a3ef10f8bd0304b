import { getTableName, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { type Queryable, rowsOf } from '../platform/db.ts';

/** How the sweeper goes through rows: few at a time, so that nobody waits for long, and passing over another node's. */

/** At most so many rows are locked by one statement. */
const BATCH_ROWS = 500;

const someOf = (table: PgTable, which: SQL): SQL => sql`
  ctid = any(array(
    select ${sql.identifier(getTableName(table))}.ctid from ${table} where ${which}
    limit ${BATCH_ROWS} for update skip locked
  ))`;

/**
 * Deletes the rows that `which` selects. Its times are `now()`: the planner may not use an index for a condition with
 * `clock_timestamp()`, which is another value for each row.
 * @param signal ends it between two batches
 */
export async function deleteInBatches(db: Queryable, table: PgTable, which: SQL, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    const deleted = await db.execute(sql`delete from ${table} where ${someOf(table, which)} returning 1`);
    if (rowsOf(deleted).length < BATCH_ROWS) return;
  }
}
