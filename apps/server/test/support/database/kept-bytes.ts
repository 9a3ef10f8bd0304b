import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { type Queryable, rowsOf } from '../../../src/platform/database/db.ts';

/** Searches disks and database dumps for bytes that must not be stored. */

/** Every file below a folder in turn: its path in the folder, and its bytes. */
export async function* filesBelow(dir: string): AsyncGenerator<{ path: string; bytes: Buffer }> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    yield { path: path.slice(dir.length + 1), bytes: await readFile(path) };
  }
}

/** The files below a folder that contain these bytes. */
export async function filesWith(dir: string, needle: string | Buffer): Promise<string[]> {
  const found: string[] = [];
  for await (const { path, bytes } of filesBelow(dir)) if (bytes.includes(needle)) found.push(path);
  return found;
}

/** Every row of every table as text, like a dump of the database. */
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

/** The current end of the database server's log. */
export async function endOfLog(db: Queryable): Promise<string> {
  const [row] = rowsOf<{ lsn: string }>(await db.execute(sql`select pg_current_wal_insert_lsn()::text as lsn`));
  return row!.lsn;
}

/**
 * The files of a database, in one piece, then the files of its server's log from a position on, one by one. Its role must
 * be allowed to read the server's files.
 * @param fromLsn null to leave the log out: all databases share it, so only random bytes are worth searching there
 */
export async function* databaseFiles(
  db: Queryable,
  fromLsn: string | null,
): AsyncGenerator<{ path: string; bytes: Buffer }> {
  // Writes to disk what is only in memory.
  await db.execute(sql`checkpoint`);
  // PostgreSQL deletes and renews files of its own while it runs, such as pg_internal.init.
  const [tables] = rowsOf<{ bytes: Buffer }>(
    await db.execute(sql`
      select string_agg(pg_read_binary_file(path, 0, stat.size, true), '') as bytes
      from (select oid from pg_database where datname = current_database()) own,
        lateral (select 'base/' || own.oid || '/' || name as path from pg_ls_dir('base/' || own.oid) name) files,
        lateral pg_stat_file(path, true) stat where stat.isdir is false`),
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

/** The forms in which 64 bytes of key, or 32 of a share, may be stored. */
export const formsOf = (bytes: Buffer): (string | Buffer)[] => [
  bytes,
  bytes.toString('hex'),
  bytes.toString('hex').toUpperCase(),
  // Without the end, which depends on padding.
  bytes.toString('base64').replace(/.?=*$/, ''),
  bytes.toString('base64url').slice(0, -1),
];
