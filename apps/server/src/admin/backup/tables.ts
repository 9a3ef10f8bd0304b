import { type SQL, sql } from 'drizzle-orm';
import { type Queryable, rowsOf } from '../../platform/database/db.ts';

/** Which tables a backup has, and how their rows are read and written: as JSON, which every PostgreSQL reads the same. */

/** In the order in which they are filled: a row names only rows of tables before its own. */
export const KEPT_TABLES = [
  'profiles',
  'sessions',
  'slugs',
  'folders',
  'temp_encryption_keys',
  'passphrase_tries',
  'files',
  'uploads',
  'gone_uploads',
  'blob_parts',
  'folder_activity',
  'folder_visitors',
  'folder_guests',
  'folder_shares',
  'reports',
  'operator_keys',
  'bans',
  'denied_blobs',
  'operator_acts',
  'site_switches',
] as const;
export type KeptTable = (typeof KEPT_TABLES)[number];

/** Tables that no backup has, and why. */
export const LEFT_OUT_TABLES: Readonly<Record<string, string>> = {
  visitor_salts: 'with the salt of a day, its visitors could be told',
  node_settings: 'they belong to the nodes that run',
  site: 'the process that holds the site; its id is in the manifest',
  blob_removals: 'blobs that are about to be deleted',
  rate_counts: 'good for minutes',
  interactions: 'good for minutes',
  upload_intents: 'good for minutes',
  folder_grants: 'good for minutes',
};

/** Rows of one statement. */
const ROWS = 500;

/** The rows of a query as JSON, one a line, in batches; only in a transaction. */
export async function* jsonRows(tx: Queryable, query: SQL): AsyncGenerator<readonly string[]> {
  await tx.execute(sql`declare backup_rows no scroll cursor for select row_to_json(q)::text as line from (${query}) q`);
  for (;;) {
    const fetched = await tx.execute(sql.raw(`fetch forward ${ROWS} from backup_rows`));
    const lines = rowsOf<{ line: string }>(fetched).map(({ line }) => line);
    if (lines.length > 0) yield lines;
    if (lines.length < ROWS) break;
  }
  await tx.execute(sql`close backup_rows`);
}

/** Those of the tables above that a database has: an earlier schema lacks some. */
export async function tablesIn(db: Queryable): Promise<readonly KeptTable[]> {
  const found = rowsOf<{ name: string }>(
    await db.execute(
      sql`select table_name as name from information_schema.tables where table_schema = current_schema()`,
    ),
  );
  const names = new Set(found.map(({ name }) => name));
  return KEPT_TABLES.filter((table) => names.has(table));
}

export const allOf = (table: KeptTable): SQL => sql`select * from ${sql.identifier(table)}`;

/** The keys that this server can't open, whatever secret it has; none of a schema that does not tell them apart. */
export const privateLinks = (): SQL =>
  sql`select * from temp_encryption_keys as keys where to_jsonb(keys) ->> 'share_id' is not null`;

/** Writes rows that `jsonRows` has read from a table of the same schema. */
export async function insertJson(tx: Queryable, table: KeptTable, lines: readonly string[]): Promise<void> {
  for (let from = 0; from < lines.length; from += ROWS) {
    const rows = `[${lines.slice(from, from + ROWS).join(',')}]`;
    const name = sql.identifier(table);
    await tx.execute(sql`insert into ${name} select * from json_populate_recordset(null::${name}, ${rows}::json)`);
  }
}
