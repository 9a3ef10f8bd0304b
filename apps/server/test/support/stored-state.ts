import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { getTableName, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { rowsOf } from '../../src/platform/database/db.ts';
import * as accounts from '../../src/platform/schema/accounts.ts';
import * as bot from '../../src/platform/schema/bot.ts';
import * as files from '../../src/platform/schema/files.ts';
import * as folders from '../../src/platform/schema/folders.ts';
import * as links from '../../src/platform/schema/links.ts';
import * as moderation from '../../src/platform/schema/moderation.ts';
import * as site from '../../src/platform/schema/site.ts';
import type { TestApp } from './test-app.ts';

/** Every table of the code, for tests that search all stored data. */
const SCHEMA = { ...accounts, ...bot, ...files, ...folders, ...links, ...moderation, ...site };
export type Schema = typeof SCHEMA;
export const TABLES: readonly PgTable[] = Object.values(SCHEMA);
export const TABLE_NAMES: readonly string[] = TABLES.map((table) => getTableName(table));

/** Everything that a server stores, to show that a refused request leaves no trace. */

/**
 * Visits are saved in batches at any time, and requests are counted, also refused ones. What is deleted is noted for the
 * journal beside the keys, also by a test that deletes what it made.
 */
const NOT_LOOKED_AT = ['folder_activity', 'folder_visitors', 'rate_counts', 'taken_back'];
/** Reading a session or an upload may change its times. */
const COUNTED_ONLY = ['sessions', 'uploads'];

const tables = TABLE_NAMES.filter((name) => !NOT_LOOKED_AT.includes(name));

const contentOf = (name: string) =>
  COUNTED_ONLY.includes(name)
    ? `'${name}', (select count(*) from "${name}")`
    : `'${name}', (select count(*) || ' ' || md5(coalesce(string_agg(t::text, '|' order by t::text), '')) from "${name}" t)`;
/** As a function, so that its long query is planned once. */
const MAKE_FUNCTION = `create or replace function stored_state() returns text language plpgsql as $$ begin return
  jsonb_build_object(${tables.map(contentOf).join(', ')}, 'offset_bytes', (select sum(offset_bytes) from uploads));
  end $$`;
const prepared = new WeakSet<TestApp>();

/** All files below the data directory, with their sizes. */
async function filesOf(dataDir: string): Promise<string[]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  // The file of an upload that broke off may go while they are listed.
  const files = paths.map(async (path) => {
    const found = await stat(path).catch(() => null);
    return found && `${path.slice(dataDir.length)} ${found.size}`;
  });
  return (await Promise.all(files)).filter((file) => file !== null).sort();
}

/** Rows of all tables, the accounts' and uploads' sums, and all files. */
export async function storedState(app: TestApp): Promise<Readonly<Record<string, unknown>>> {
  const { db } = app.database;
  if (!prepared.has(app)) await db.execute(sql.raw(MAKE_FUNCTION));
  prepared.add(app);
  const [row] = rowsOf<{ stored_state: string }>(await db.execute(sql`select stored_state()`));
  return { ...JSON.parse(row!.stored_state), files: await filesOf(app.config.dataDir) };
}
