import { HOUR_MS } from '@satchel/contract/limits';
import type { Tiers } from '@satchel/contract/tiers';
import { longestLifeHours } from '@satchel/contract/tiers';
import { asc, inArray, sql } from 'drizzle-orm';
import { type Db, inTransaction, type Queryable, rowsOf } from '../platform/database/db.ts';
import type { TakenBack, TakenBackJournal } from '../platform/keys/taken-back-journal.ts';
import { taken_back } from '../platform/schema/site.ts';
import { SESSION_DAYS } from './accounts/sessions.ts';

/** Moves what was taken back from the database to the journal beside the key shares, on the node that stores the key shares. */

export interface JournalDeps {
  readonly db: Db;
  readonly journal: TakenBackJournal;
  /** An entry that is older than the longest lifetime of a folder or session is about nothing that a restore brings back. */
  readonly tiers: Tiers;
}

const BATCH = 1000;
const DAY_HOURS = 24;

/** The database's lock for writing the journal, which the server does every second, its sweep, and an operator's command. */
const JOURNAL_LOCK = 7_234_120;

/** Runs work on the journal alone: its files are read and replaced as a whole. */
const alone = <Result>({ db }: JournalDeps, work: (tx: Queryable) => Promise<Result>): Promise<Result> =>
  inTransaction(db, async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${JOURNAL_LOCK})`);
    return work(tx);
  });

async function beginIfNew(db: Queryable, journal: TakenBackJournal): Promise<void> {
  const [site] = rowsOf<{ id: string | null; now: Date }>(
    await db.execute(sql`select (select id from site limit 1) as id, clock_timestamp() as now`),
  );
  const site_id = site?.id ?? null;
  const start = await journal.start();
  // The journal of another site says nothing of what this one took back before.
  if (start?.site_id !== site_id) await journal.begin({ site_id, began_at: new Date(site!.now).toISOString() });
}

/** Deletes entries that no restore needs. */
export async function pruneJournal(deps: JournalDeps): Promise<void> {
  const hours = Math.max(...Object.values(SESSION_DAYS).map((days) => days * DAY_HOURS), longestLifeHours(deps.tiers));
  await alone(deps, () => deps.journal.prune(new Date(Date.now() - hours * HOUR_MS)));
}

/**
 * Appends to the journal what was taken back since the last call. A row leaves the database once the journal has it, so that
 * a crash in between repeats entries and loses none.
 * @param signal ends it between two batches
 */
export async function writeJournal(deps: JournalDeps, signal?: AbortSignal): Promise<void> {
  const { journal } = deps;
  for (let isMore = true; isMore && !signal?.aborted; ) {
    isMore = await alone(deps, async (tx) => {
      await beginIfNew(tx, journal);
      return writeBatch(tx, journal);
    });
  }
}

/** @returns whether there may be more */
async function writeBatch(db: Queryable, journal: TakenBackJournal): Promise<boolean> {
  const rows = await db.select().from(taken_back).orderBy(asc(taken_back.id)).limit(BATCH);
  if (rows.length === 0) return false;
  const entryOf = ({ at, kind, ref, detail }: (typeof rows)[number]): TakenBack => ({
    at: at.toISOString(),
    kind,
    ref,
    detail: detail as TakenBack['detail'],
  });
  await journal.append(rows.map(entryOf));
  const ids = rows.map(({ id }) => id);
  await db.delete(taken_back).where(inArray(taken_back.id, ids));
  return rows.length === BATCH;
}
