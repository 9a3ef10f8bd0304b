import { getTableName, is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import * as schema from '../platform/schema.ts';
import * as botSchema from '../platform/schema-bot.ts';
import * as siteSchema from '../platform/schema-site.ts';

/** Every table that the code knows, for those who look through all that is stored. */
export const TABLES: readonly PgTable[] = Object.values({ ...schema, ...botSchema, ...siteSchema }).filter((value) =>
  is(value, PgTable),
);
export const TABLE_NAMES: readonly string[] = TABLES.map((table) => getTableName(table));
