import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import type { Queryable } from '../platform/db.ts';
import { rowsOf } from '../platform/db.ts';

/** Looking for what must not be kept: on a disk, and in a dump of the database. */

/** Every file below a folder, one after the other: its path in there, and its bytes. */
export async function* filesBelow(dir: string): AsyncGenerator<{ path: string; bytes: Buffer }> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    yield { path: path.slice(dir.length + 1), bytes: await readFile(path) };
  }
}

/** The files below a folder that have these bytes. */
export async function filesWith(dir: string, needle: string | Buffer): Promise<string[]> {
  const found: string[] = [];
  for await (const { path, bytes } of filesBelow(dir)) if (bytes.includes(needle)) found.push(path);
  return found;
}

/** Every row of every table as text: what a dump of the database has. */
export async function dumpOf(db: Queryable): Promise<string> {
  const tables = rowsOf<{ name: string }>(
    await db.execute(sql`select table_name as name from information_schema.tables where table_schema = 'public'`),
  );
  let dump = '';
  for (const { name } of tables) {
    const rows = rowsOf<{ row: string }>(await db.execute(sql`select t::text as row from ${sql.identifier(name)} t`));
    dump += rows.map(({ row }) => `${name} ${row}\n`).join('');
  }
  return dump;
}

/** Where the log of the database's server ends now. */
export async function endOfLog(db: Queryable): Promise<string> {
  const [row] = rowsOf<{ lsn: string }>(await db.execute(sql`select pg_current_wal_insert_lsn()::text as lsn`));
  return row!.lsn;
}

/**
 * The files of a database, in one piece, and those of its server's log from a place on, one after the other. Its role has
 * to be allowed to read the server's files.
 * @param fromLsn null for no log: it is one for all databases, so it is worth a look for random bytes only
 */
export async function* databaseFiles(
  db: Queryable,
  fromLsn: string | null,
): AsyncGenerator<{ path: string; bytes: Buffer }> {
  // What is only in memory so far is written.
  await db.execute(sql`checkpoint`);
  const [tables] = rowsOf<{ bytes: Buffer }>(
    await db.execute(sql`
      select string_agg(pg_read_binary_file(path), '') as bytes
      from (select oid from pg_database where datname = current_database()) own,
        lateral (select 'base/' || own.oid || '/' || name as path from pg_ls_dir('base/' || own.oid) name) files,
        lateral pg_stat_file(path) stat where not stat.isdir`),
  );
  yield { path: 'base', bytes: tables!.bytes };
  if (fromLsn === null) return;
  const segments = rowsOf<{ name: string }>(
    await db.execute(sql`
      select name from pg_ls_waldir()
      where length(name) = 24 and name between pg_walfile_name(${fromLsn}::pg_lsn) and pg_walfile_name(pg_current_wal_lsn())`),
  );
  for (const { name } of segments) {
    const path = `pg_wal/${name}`;
    const [segment] = rowsOf<{ bytes: Buffer | null }>(
      await db.execute(sql`
        select pg_read_binary_file(${path}, 0, pg_size_bytes(current_setting('wal_segment_size')), true) as bytes`),
    );
    yield { path, bytes: segment?.bytes ?? Buffer.alloc(0) };
  }
}

/** How 64 bytes of key, or 32 of a share, may come to lie somewhere. */
export const formsOf = (bytes: Buffer): (string | Buffer)[] => [
  bytes,
  bytes.toString('hex'),
  bytes.toString('hex').toUpperCase(),
  // Without the end, which differs with and without padding.
  bytes.toString('base64').replace(/.?=*$/, ''),
  bytes.toString('base64url').slice(0, -1),
];
