import { expect, test } from 'vitest';
import { type Db, inTransaction, type Queryable, type Tx } from './db.ts';

/** The compiler is the test here: `@ts-expect-error` fails the check of types where the next line does compile. */

declare const pool: Db;
declare const transaction: Tx;
const needsTransaction = (_tx: Tx) => undefined;
const needsPool = (_db: Db) => undefined;
const needsEither = (_db: Queryable) => undefined;

test('pool and transaction are told apart by the compiler', () => {
  const compiled = () => {
    // @ts-expect-error what happens on the pool is not atomic with anything
    needsTransaction(pool);
    // @ts-expect-error what begins a transaction, or has to follow one, can't be inside of one
    needsPool(transaction);
    // @ts-expect-error no transaction is begun but by inTransaction
    pool.transaction;
    // @ts-expect-error nor one inside of another
    transaction.transaction;
    needsTransaction(transaction);
    needsPool(pool);
    needsEither(pool);
    needsEither(transaction);
    return inTransaction(pool, async (tx) => needsTransaction(tx));
  };
  expect(compiled).toBeTypeOf('function');
});
