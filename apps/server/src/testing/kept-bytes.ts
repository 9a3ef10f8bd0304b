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

/** How 64 bytes of key, or 32 of a share, may come to lie somewhere. */
export const formsOf = (bytes: Buffer): (string | Buffer)[] => [
  bytes,
  bytes.toString('hex'),
  bytes.toString('hex').toUpperCase(),
  // Without the end, which differs with and without padding.
  bytes.toString('base64').replace(/.?=*$/, ''),
  bytes.toString('base64url').slice(0, -1),
];
