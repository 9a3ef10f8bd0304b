import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { folderByStoragePath } from '../../src/domain/access/find-folder.ts';
import { isSessionAlive, viewerOf } from '../../src/domain/accounts/sessions.ts';
import { createFolderReader } from '../../src/domain/folders/folder-data.ts';
import { type Queryable, rowsOf } from '../../src/platform/database/db.ts';
import { prepared, type Slots } from '../../src/platform/database/prepared.ts';
import { atEnd, openTestDatabase, takeDatabase } from '../support/at-end.ts';
import { addressOf, urlByPort } from '../support/database/database-line.ts';

/** Statements that are built once, and that PostgreSQL remembers as long as a connection stays the same. */

const BACKEND_KEY_DATA = 'K'.charCodeAt(0);
const HEADER_BYTES = 5;

/** A server's greeting with another process id, as pgbouncer's clients get it. */
function renamed(socket: Socket, onward: Socket): void {
  let read = Buffer.alloc(0);
  const onData = (chunk: Buffer) => {
    read = Buffer.concat([read, chunk]);
    for (let at = 0; at + HEADER_BYTES <= read.length; at += 1 + read.readInt32BE(at + 1)) {
      if (read[at] !== BACKEND_KEY_DATA || at + HEADER_BYTES + 4 > read.length) continue;
      read.writeInt32BE(1, at + HEADER_BYTES);
      socket.off('data', onData);
      socket.pipe(onward);
      onward.write(read);
      return;
    }
    const complete = lengthOfComplete(read);
    onward.write(read.subarray(0, complete));
    read = read.subarray(complete);
  };
  socket.on('data', onData);
}

function lengthOfComplete(bytes: Buffer): number {
  let at = 0;
  while (at + HEADER_BYTES <= bytes.length && at + 1 + bytes.readInt32BE(at + 1) <= bytes.length)
    at += 1 + bytes.readInt32BE(at + 1);
  return at;
}

/** Starts a proxy before a PostgreSQL. @returns the URL of the database behind it */
async function startProxy(url: string) {
  const server = createServer((client) => {
    const database = connect(addressOf(url));
    client.pipe(database);
    renamed(database, client);
    for (const socket of [client, database]) socket.on('error', () => undefined);
    client.on('close', () => database.destroy());
    database.on('close', () => client.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  atEnd(() => void server.close());
  return urlByPort(url, (server.address() as AddressInfo).port);
}

const url = await takeDatabase();
const database = await openTestDatabase({ url });
const behindProxy = await openTestDatabase({ url: await startProxy(url) });

let built = 0;
const sum = prepared((db, { a, b }: Slots<{ a: number; b: number }>) => {
  built += 1;
  return db.select({ sum: sql<number>`${a}::integer + ${b}::integer` }).from(sql`(select 1) as one`);
});
const remembered = async (db: Queryable) =>
  rowsOf<{ statement: string }>(await db.execute(sql`select statement from pg_prepared_statements`));

test('is built once for a pool, and remembered by its connection', async () => {
  expect(await sum(database.db, { a: 1, b: 2 })).toEqual([{ sum: 3 }]);
  expect(await sum(database.db, { a: 20, b: 30 })).toEqual([{ sum: 50 }]);
  expect(built).toBe(1);
  expect(await remembered(database.db)).toEqual([{ statement: expect.stringContaining('$1::integer + $2::integer') }]);
});

test('is not remembered behind a proxy, where the next statement may be another connection’s', async () => {
  expect(await sum(behindProxy.db, { a: 1, b: 2 })).toEqual([{ sum: 3 }]);
  expect(await sum(behindProxy.db, { a: 2, b: 2 })).toEqual([{ sum: 4 }]);
  expect(await remembered(behindProxy.db)).toEqual([]);
});

/** PostgreSQL plans a statement for its values the first five times, and may then keep a plan for all values. */
const TRIED = 5;

test('what every page read asks is planned once for a connection, not at every call', async () => {
  const { db } = database;
  const id = '00000000-0000-4000-8000-000000000000';
  const requester = { profile_id: id, session_hash: null, holder_hash: null };
  const readFolder = createFolderReader(db);
  for (let call = 0; call < 2 * TRIED; call += 1) {
    expect(await viewerOf(db, 'no such token', 'browser')).toBeNull();
    expect(await isSessionAlive(db, { profile_id: id, session_id: id })).toBe(false);
    await expect(readFolder('no-such-folder00', requester)).rejects.toMatchObject({ code: 'folder.not_found' });
    await expect(folderByStoragePath(db, 'no such path', requester)).rejects.toMatchObject({
      code: 'storage.not_found',
    });
  }
  const plans = await db.execute(sql`
    select custom_plans::integer as fresh, generic_plans::integer as kept from pg_prepared_statements
    where statement ~ 'from "?(sessions|folders|unnest)'`);
  expect(rowsOf(plans)).toEqual(Array(4).fill({ fresh: TRIED, kept: TRIED }));
});
