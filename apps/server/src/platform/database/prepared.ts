import { createHash } from 'node:crypto';
import { type Placeholder, sql } from 'drizzle-orm';
import { type Queryable, remembersStatements } from './db.ts';

/**
 * Statements that are asked for often. Drizzle builds the text of such a statement once, and PostgreSQL parses and plans
 * it once for each connection, instead of both at every call.
 */

/** What changes from call to call, by its name. */
export type Slots<Values> = { readonly [Name in keyof Values]-?: Placeholder };

/** A statement of drizzle's that is not awaited yet. */
interface Statement<Result> {
  prepare(name: string): { execute(values: Record<string, unknown>): Promise<Result> };
  toSQL(): { sql: string };
}

/** PostgreSQL forgets a statement without a name as soon as it has the next one. */
const UNNAMED = '';

/** By the text alone: two versions of this server on one connection of a proxy never mean different statements by one name. */
const nameOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 24);

/** `sql.placeholder` of whatever name is asked for. */
const slots = new Proxy({}, { get: (_, name) => sql.placeholder(String(name)) });

/**
 * A statement that is built at its first call on a pool. On a transaction it is built anew.
 * @param build the statement, with `slots.name` where the value `name` of each call goes
 * @returns runs the statement with the values
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
