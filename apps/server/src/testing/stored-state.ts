import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { getTableName, is, sql } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { rowsOf } from '../platform/db.ts';
import * as schema from '../platform/schema.ts';
import type { TestApp } from './test-app.ts';

/** What a server holds, to see that a refused request has left no trace. */

/** Visits are booked in batches, whenever: a refusal finds them as they happen to be. */
const BOOKED_LATER = ['folder_activity', 'folder_visitors'];
/** A look at a session, or at an upload, may move its times. */
const COUNTED_ONLY = ['sessions', 'uploads'];

const tables = Object.values(schema)
  .filter((table) => is(table, PgTable))
  .map((table) => getTableName(table))
  .filter((name) => !BOOKED_LATER.includes(name));

const contentOf = (name: string) =>
  COUNTED_ONLY.includes(name)
    ? `(select count(*)::text from "${name}") as "${name}"`
    : `(select count(*) || ' ' || md5(coalesce(string_agg(t::text, '|' order by t::text), '')) from "${name}" t) as "${name}"`;
const EVERYTHING = `select ${tables.map(contentOf).join(', ')},
  (select coalesce(sum(offset_bytes), 0)::text from uploads) as offset_bytes`;

/** All files below the data directory, with their sizes. */
async function filesOf(dataDir: string): Promise<string[]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files = paths.map(async (path) => `${path.slice(dataDir.length)} ${(await stat(path)).size}`);
  return (await Promise.all(files)).sort();
}

/** Rows of all tables, what is booked on accounts and uploads, and all files. */
export async function storedState(app: TestApp): Promise<Readonly<Record<string, unknown>>> {
  const [rows] = rowsOf<Record<string, unknown>>(await app.database.db.execute(sql.raw(EVERYTHING)));
  return { ...rows, files: await filesOf(app.config.dataDir) };
}
