import { createHash } from 'node:crypto';
import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import { type Queryable, remembersStatements } from './db.ts';

/**
 * Statements that run often. Drizzle builds their text once, and PostgreSQL parses and plans it once for each
 * connection, instead of at every call.
 */

/** The values that change from call to call, by name. */
export type Slots<Values> = { readonly [Name in keyof Values]-?: Placeholder };

/** A drizzle statement that is not awaited yet. */
interface Statement<Result> {
  prepare(name: string): { execute(values: Record<string, unknown>): Promise<Result> };
  toSQL(): { sql: string };
}

/** PostgreSQL keeps an unnamed statement only until the next one. */
const UNNAMED = '';

/**
 * Named by a hash of its text: two versions of this server behind one proxy connection never use one name for different
 * statements.
 */
const nameOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 24);

/** Returns `sql.placeholder` for every property name. */
const slots = new Proxy({}, { get: (_, name) => sql.placeholder(String(name)) });

/**
 * A value that the planner doesn't see. PostgreSQL keeps a plan only where one for the values at hand would not be much
 * cheaper. For a null, or an array of one, it always would: the statement is then planned at every call, which takes up to
 * eight times as long as the statement itself.
 * @param value with a cast that names its type
 */
export const opaque = (value: SQL): SQL => sql`(select ${value})`;

/**
 * A statement that is built at its first call on a pool, and again on each transaction.
 * @param build builds the statement, with `slots.name` in the place of each value `name`
 * @returns a function that runs the statement with the values
 */
export function prepared<Values extends object, Result>(
  build: (db: Queryable, slots: Slots<Values>) => Statement<Result>,
): (db: Queryable, values: Values) => Promise<Result> {
  const builtFor = new WeakMap<Queryable, ReturnType<Statement<Result>['prepare']>>();
  function builtOf(db: Queryable) {
    const known = builtFor.get(db);
    if (known) return known;
    const statement = build(db, slots as Slots<Values>);
    const built = statement.prepare(remembersStatements(db) ? nameOf(statement.toSQL().sql) : UNNAMED);
    builtFor.set(db, built);
    return built;
  }
  return (db, values) => builtOf(db).execute(values as Record<string, unknown>);
}
