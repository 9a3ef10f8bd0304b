import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type pg from 'pg';
import { MIGRATIONS, migrationHash } from '../schema/migrations.ts';
import { tellNotes } from './change-notes.ts';
import { databaseAwayIn, openPool, POOL_TIMES, type PoolTimes, sqlStateOf } from './database-pool.ts';

type Drizzle = PgDatabase<PgQueryResultHKT>;
declare const handle: unique symbol;

/** The pool or an open transaction. A function that takes it runs single statements. */
export type Queryable = Omit<Drizzle, 'transaction'>;
/** The pool: every statement is its own transaction, on any connection. */
export type Db = Queryable & { readonly [handle]: 'pool' };
/**
 * An open transaction. A function that takes it runs several statements together, or one together with the statements of its
 * caller.
 */
export type Tx = Queryable & { readonly [handle]: 'transaction' };

/** Serialization failure and deadlock: the database rolled the transaction back and asks for another try. */
const UNDONE = new Set(['40001', '40P01']);
const TRIES = 3;
/** Pause between two tries; a restarted database is back after about this time. */
const PAUSE_MS = 200;

/**
 * Runs `work` in one transaction: commits when `work` succeeds, rolls back when it throws. A transaction that has
 * certainly not been committed is tried again: after a deadlock, or when its connection was lost before the commit was
 * sent. So `work` may run several times; what it does outside the database must allow that.
 */
export async function inTransaction<Result>(db: Db, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    let isDone = false;
    let last: Tx | null = null;
    try {
      const result = await (db as unknown as Drizzle).transaction(async (tx) => {
        last = tx as unknown as Tx;
        const result = await work(last);
        isDone = true;
        return result;
      });
      if (last) tellNotes(db, last);
      return result;
    } catch (error) {
      const isUndone = UNDONE.has(sqlStateOf(error)) || (!isDone && databaseAwayIn(error)?.isLoss === true);
      if (!isUndone || tries === TRIES) throw error;
      await sleep(PAUSE_MS * (0.5 + Math.random()));
    }
  }
}

/** Runs reads that all see the database as it is at the first of them, however long they take. */
export const inSnapshot = <Result>(db: Db, read: (tx: Queryable) => Promise<Result>): Promise<Result> =>
  (db as unknown as Drizzle).transaction((tx) => read(tx as unknown as Queryable), {
    isolationLevel: 'repeatable read',
    accessMode: 'read only',
  });

/** What time it is by the database's clock, which decides when something ends. */
export async function databaseTime(db: Queryable): Promise<Date> {
  const [row] = rowsOf<{ ms: string }>(
    await db.execute(sql`select extract(epoch from clock_timestamp()) * 1000 as ms`),
  );
  return new Date(Math.floor(Number(row?.ms)));
}

export interface Database {
  readonly db: Db;
  /** How many connections of the pool are busy and idle, and how many callers wait for one. */
  connections(): { readonly busy: number; readonly idle: number; readonly waiting: number };
  close(): Promise<void>;
}

/** The step of the schema that this version knows. */
export const newestMigration: number = MIGRATIONS.at(-1)!.id;

const MIGRATION_LOCK = 7_234_117;

const remembering = new WeakSet<Queryable>();
/**
 * True when a connection of `db` keeps the statements that it has prepared. Behind a proxy, each transaction may get
 * another connection.
 */
export const remembersStatements = (db: Queryable): boolean => remembering.has(db);

async function connect(url: string, times: PoolTimes): Promise<Database> {
  const pool = await openPool(url, times);
  const db = drizzle(pool) as unknown as Db;
  try {
    if (await isDirect(pool)) remembering.add(db);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    db,
    connections: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: () => pool.end(),
  };
}

/**
 * True when connections lead to PostgreSQL itself. A proxy such as pgbouncer makes up the process id that it reports,
 * and may give each transaction another server connection.
 */
async function isDirect(pool: pg.Pool): Promise<boolean> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    // The process id of BackendKeyData, which is missing in pg's types.
    return (client as unknown as { processID: number | null }).processID === rows[0]?.pid;
  } finally {
    client.release();
  }
}

/** The rows of a raw query. */
export const rowsOf = <Row>(result: unknown): Row[] => (result as { rows: Row[] }).rows;

/** A check reads the whole database; one statement may take any time. */
const CHECK_TIMES: PoolTimes = { ...POOL_TIMES, statementMs: 0, lostAfterMs: Number.POSITIVE_INFINITY };

/** The newest step of the schema that a database has; 0 for one without tables. */
export async function schemaStepOf(db: Queryable): Promise<number> {
  const [table] = rowsOf<{ name: string | null }>(
    await db.execute(sql`select to_regclass('migrations')::text as name`),
  );
  if (table?.name == null) return 0;
  const [newest] = rowsOf<{ id: number | null }>(await db.execute(sql`select max(id) as id from migrations`));
  return newest?.id ?? 0;
}

/**
 * Brings the schema to the step of this version, under an advisory lock, so that several nodes may start at once.
 * @throws when the database is of a later version of Satchel, or a step of it is not as this version has it
 */
export const migrate = (db: Db, migrations = MIGRATIONS): Promise<void> =>
  inTransaction(db, async (tx) => {
    // A step may take long on a large site, and so may the wait for another node.
    await tx.execute(sql`set local statement_timeout = 0`);
    await tx.execute(sql`set local lock_timeout = 0`);
    await tx.execute(sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await tx.execute(
      sql`create table if not exists migrations (id integer primary key, hash text not null, applied_at timestamptz not null default now())`,
    );
    const done = rowsOf<{ id: number; hash: string }>(
      await tx.execute(sql`select id, hash from migrations order by id`),
    );
    const newest = done.at(-1)?.id ?? 0;
    if (newest > migrations.length) {
      throw new Error(`The database is at step ${newest}, newer than this version of Satchel knows`);
    }
    for (const migration of migrations) {
      const applied = done.find((row) => row.id === migration.id);
      if (applied && applied.hash !== migrationHash(migration)) {
        throw new Error(`Step ${migration.id} of the database was made by another version of Satchel`);
      }
      if (applied) continue;
      for (const statement of migration.statements) await tx.execute(sql.raw(statement));
      await tx.execute(sql`insert into migrations (id, hash) values (${migration.id}, ${migrationHash(migration)})`);
    }
  });

/** Connects for a command with any schema; it does not migrate. */
export const openForCommand = (url: string): Promise<Database> => connect(url, CHECK_TIMES);

/**
 * Connects for a command that needs the schema of this version, beside a server that may be running; it does not migrate.
 * @throws when the schema does not belong to this version
 */
export async function openForReading(url: string): Promise<Database> {
  const database = await openForCommand(url);
  try {
    const found = await schemaStepOf(database.db);
    if (found !== newestMigration) {
      throw new Error(`it is at step ${found} of the schema, and this version knows step ${newestMigration}`);
    }
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

/**
 * Connects, and migrates the schema.
 * @param url of a PostgreSQL database
 */
export async function openDatabase({
  url,
  times = POOL_TIMES,
}: {
  readonly url: string;
  readonly times?: PoolTimes;
}): Promise<Database> {
  const database = await connect(url, times);
  try {
    await migrate(database.db);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}
