import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { databaseAwayIn, openPool, POOL_TIMES, sqlStateOf } from '../../src/platform/database/database-pool.ts';
import { inTransaction, rowsOf } from '../../src/platform/database/db.ts';
import { atEnd, openTestDatabase, takeDatabase } from '../support/at-end.ts';
import { addressOf, createDatabaseLine, urlByPort } from '../support/database/database-line.ts';

const TIMES = { ...POOL_TIMES, suspectAfterMs: 200, probeMs: 1500, retryEveryMs: 50 };
const isDatabaseAway = (error: unknown) => databaseAwayIn(error) !== null;
const PID = sql`select pg_backend_pid() as pid`;
const END_OWN = sql`select pg_terminate_backend(pg_backend_pid())`;

const url = await takeDatabase();
const line = await createDatabaseLine(url);
atEnd(() => line.close());
const database = await openTestDatabase({ url: line.url, times: TIMES });
const run = async <Row>(statement: ReturnType<typeof sql>) => rowsOf<Row>(await database.db.execute(statement));
const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('it went well'),
    (error: unknown) => error,
  );
const counted = async () => (await run<{ n: number }>(sql`select n from counter`))[0]?.n;

await run(sql`create table counter (n integer)`);
await run(sql`insert into counter values (0)`);

test('a slow statement of a database that answers is waited for', async () => {
  expect(await run(sql`select pg_sleep(1.5)`)).toHaveLength(1);
});

test('a frozen database fails requests in progress and new ones, and comes back by itself', async () => {
  await run(PID);
  line.freeze();
  const many = Array.from({ length: 30 }, () => errorOf(run(PID)));
  const all = [...many, errorOf(inTransaction(database.db, (tx) => tx.execute(PID)))];
  expect((await Promise.all(all)).map(isDatabaseAway)).toEqual(all.map(() => true));
  expect(isDatabaseAway(await errorOf(run(PID)))).toBe(true);
  await line.restore();
  await expect.poll(() => run(PID).catch(() => null)).toHaveLength(1);
});

test('transactions that can’t begin cost the pool no connection', async () => {
  await run(PID);
  await line.cut();
  const failed = Array.from({ length: 30 }, () => errorOf(inTransaction(database.db, (tx) => tx.execute(PID))));
  expect((await Promise.all(failed)).every(isDatabaseAway)).toBe(true);
  await line.restore();
  await expect.poll(() => run(PID).catch(() => null)).toHaveLength(1);
  // Each keeps its connection until all ten have one.
  const all = Promise.withResolvers<void>();
  const pids = new Set<unknown>();
  const hold = () =>
    inTransaction(database.db, async (tx) => {
      pids.add(rowsOf<{ pid: number }>(await tx.execute(PID))[0]?.pid);
      if (pids.size === 10) all.resolve();
      await all.promise;
    });
  await Promise.all(Array.from({ length: 10 }, hold));
});

test('a transaction whose connection is lost before its commit is repeated, and done once', async () => {
  let tries = 0;
  await inTransaction(database.db, async (tx) => {
    tries += 1;
    await tx.execute(sql`update counter set n = n + 1`);
    if (tries === 1) await tx.execute(END_OWN);
  });
  expect([tries, await counted()]).toEqual([2, 1]);
});

test('a transaction of a deadlock is repeated', async () => {
  await run(sql`create table pair as select id, 0 as n from generate_series(1, 2) id`);
  const both = { first: Promise.withResolvers<void>(), second: Promise.withResolvers<void>() };
  const add = (ids: readonly number[], own: keyof typeof both, other: keyof typeof both) =>
    inTransaction(database.db, async (tx) => {
      await tx.execute(sql`update pair set n = n + 1 where id = ${ids[0]}::integer`);
      both[own].resolve();
      await both[other].promise;
      await tx.execute(sql`update pair set n = n + 1 where id = ${ids[1]}::integer`);
    });
  await Promise.all([add([1, 2], 'first', 'second'), add([2, 1], 'second', 'first')]);
  expect(await run(sql`select n from pair`)).toEqual([{ n: 2 }, { n: 2 }]);
});

test('a read whose connection is lost is repeated; a write is not', async () => {
  await run(PID);
  const other = await openTestDatabase({ url, times: TIMES });
  const waiting = sql`select pid from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`;
  /** While a statement waits for a lock, ends its connection. */
  const whileItWaits = (begin: () => Promise<unknown>) =>
    inTransaction(other.db, async (tx) => {
      await tx.execute(sql`select pg_advisory_xact_lock(1)`);
      const outcome = begin();
      await expect.poll(async () => rowsOf(await tx.execute(waiting)).length).toBe(1);
      await tx.execute(sql`select pg_terminate_backend(pid) from (${waiting}) slow`);
      return { outcome };
    });
  const wait = sql`pg_advisory_xact_lock_shared(1)`;
  const reading = await whileItWaits(() => run(sql`select 7 as seven, ${wait}`));
  expect(await reading.outcome).toMatchObject([{ seven: 7 }]);
  const writing = await whileItWaits(() =>
    errorOf(run(sql`update counter set n = n + 100 from (select ${wait}) slow`)),
  );
  expect(isDatabaseAway(await writing.outcome)).toBe(true);
  expect(await counted()).toBe(1);
});

test('every connection has its limits, and a statement beyond them fails alone', async () => {
  const names = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
  const settings = await Promise.all(names.map((name) => run(sql.raw(`show ${name}`))));
  expect(settings.flatMap((rows) => rows.flatMap((row) => Object.values(row as object)))).toEqual([
    '30s',
    '10s',
    '30s',
  ]);
  const error = await errorOf(
    inTransaction(database.db, async (tx) => {
      await tx.execute(sql`set local statement_timeout = 50`);
      await tx.execute(sql`select pg_sleep(5)`);
    }),
  );
  expect([sqlStateOf(error), isDatabaseAway(error)]).toEqual(['57014', false]);
});

test('a pooler that refuses limits is used without them', async () => {
  // pgbouncer's answer to an unknown parameter.
  const refusal = (name: string) => {
    const text = `SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: ${name}\0\0`;
    const head = Buffer.alloc(5);
    head.write('E');
    head.writeInt32BE(text.length + 4, 1);
    return Buffer.concat([head, Buffer.from(text)]);
  };
  const pooler = createServer((near) => {
    near
      .on('error', () => undefined)
      .once('data', (startup) => {
        const [name] = /[a-z_]+_timeout/.exec(startup.toString('latin1')) ?? [];
        if (name) return near.end(refusal(name));
        const far = connect(addressOf(url)).on('error', () => undefined);
        far.write(startup);
        near.pipe(far).pipe(near);
      });
  }).listen(0, '127.0.0.1');
  await once(pooler, 'listening');
  atEnd(() => void pooler.close());
  const pool = await openPool(urlByPort(url, (pooler.address() as AddressInfo).port), TIMES);
  expect((await pool.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '0' }]);
  await pool.end();
});
