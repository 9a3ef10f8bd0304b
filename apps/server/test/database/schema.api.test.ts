import { sql } from 'drizzle-orm';
import { getTableConfig } from 'drizzle-orm/pg-core';
import { expect, test } from 'vitest';
import { rowsOf } from '../../src/platform/database/db.ts';
import { openTestDatabase } from '../support/at-end.ts';
import { TABLES } from '../support/stored-state.ts';

interface Column {
  table_name: string;
  column_name: string;
  data_type: string;
  is_nullable: 'YES' | 'NO';
  column_default: string | null;
}

/** The content of `schema.ts` in terms of the information schema. */
function described(): string[] {
  return TABLES.flatMap((table) => {
    const { name, columns } = getTableConfig(table);
    return columns.map((column) => {
      const type = column.getSQLType().replace('timestamp (3) with time zone', 'timestamp with time zone');
      const isNullable = !column.notNull;
      return `${name}.${column.name} ${type} ${isNullable ? 'null' : 'not null'}${column.hasDefault ? ' default' : ''}`;
    });
  }).sort();
}

const inWords = (column: Column): string => {
  const isNull = column.is_nullable === 'YES' ? 'null' : 'not null';
  const hasDefault = column.column_default === null ? '' : ' default';
  return `${column.table_name}.${column.column_name} ${column.data_type} ${isNull}${hasDefault}`;
};

test('the migrated tables match the code, column by column', async () => {
  const database = await openTestDatabase();
  const columns = rowsOf<Column>(
    await database.db.execute(sql`
      select table_name, column_name, data_type, is_nullable, column_default from information_schema.columns
      where table_schema = 'public' and table_name <> 'migrations'`),
  );
  expect(columns.map(inWords).sort()).toEqual(described());
});
