import { getTableName, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { type Db, rowsOf } from '../platform/db.ts';

/** How the sweeper goes through rows: few at a time, so that nobody waits for long, and passing over another node's. */

/** At most so many rows are locked by one statement. */
const BATCH_ROWS = 500;

async function untilFew(batch: () => Promise<unknown>): Promise<void> {
  while (rowsOf(await batch()).length === BATCH_ROWS);
}

const someOf = (table: PgTable, which: SQL): SQL => sql`
  ctid = any(array(
    select ${sql.identifier(getTableName(table))}.ctid from ${table} where ${which}
    limit ${BATCH_ROWS} for update skip locked
  ))`;

/** Deletes the rows that `which` selects. */
export const deleteInBatches = (db: Db, table: PgTable, which: SQL): Promise<void> =>
  untilFew(() => db.execute(sql`delete from ${table} where ${someOf(table, which)} returning 1`));
