import { expect, test } from 'vitest';
import { type Db, inTransaction, type Queryable, type Tx } from './db.ts';

/** Checked by the compiler: `@ts-expect-error` fails the type check when the next line compiles. */

declare const pool: Db;
declare const transaction: Tx;
const needsTransaction = (_tx: Tx) => undefined;
const needsPool = (_db: Db) => undefined;
const needsEither = (_db: Queryable) => undefined;

test('the compiler distinguishes pool and transaction', () => {
  const compiled = () => {
    // @ts-expect-error statements on the pool are not atomic
    needsTransaction(pool);
    // @ts-expect-error a function that begins a transaction, or runs after one, can't run inside one
    needsPool(transaction);
    // @ts-expect-error only inTransaction begins a transaction
    pool.transaction;
    // @ts-expect-error transactions are not nested
    transaction.transaction;
    needsTransaction(transaction);
    needsPool(pool);
    needsEither(pool);
    needsEither(transaction);
    return inTransaction(pool, async (tx) => needsTransaction(tx));
  };
  expect(compiled).toBeTypeOf('function');
});
