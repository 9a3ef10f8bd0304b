import { getTableName, is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import * as schema from '../../src/platform/database/schema.ts';
import * as botSchema from '../../src/platform/database/schema-bot.ts';
import * as siteSchema from '../../src/platform/database/schema-site.ts';

/** Every table of the code, for tests that search all stored data. */
export const TABLES: readonly PgTable[] = Object.values({ ...schema, ...botSchema, ...siteSchema }).filter((value) =>
  is(value, PgTable),
);
export const TABLE_NAMES: readonly string[] = TABLES.map((table) => getTableName(table));
