import { sql } from 'drizzle-orm';
import { getTableConfig } from 'drizzle-orm/pg-core';
import { expect, test } from 'vitest';
import { migrate, newestMigration, rowsOf, schemaStepOf } from '../../src/platform/database/db.ts';
import { MIGRATIONS } from '../../src/platform/schema/migrations.ts';
import { openTestDatabase } from '../support/at-end.ts';
import { TABLES } from '../support/stored-state.ts';

interface Column {
  table_name: string;
  column_name: string;
  data_type: string;
  is_nullable: 'YES' | 'NO';
  column_default: string | null;
}

/** The columns that queries are typed by, in terms of the information schema. */
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

test('a later version adds its step to the rows that are there; an earlier one, or an edited step, is refused', async () => {
  const { db } = await openTestDatabase();
  await db.execute(sql`insert into profiles (discord_id) values ('77')`);
  const next = newestMigration + 1;
  const later = [...MIGRATIONS, { id: next, statements: [`alter table profiles add column pet text default 'cat'`] }];
  await migrate(db, later);
  expect(rowsOf(await db.execute(sql`select discord_id, pet from profiles`))).toEqual([
    { discord_id: '77', pet: 'cat' },
  ]);
  expect(await schemaStepOf(db)).toBe(next);
  await migrate(db, later);
  await expect(migrate(db)).rejects.toThrow(
    `The database is at step ${next}, newer than this version of Satchel knows`,
  );
  const edited = [...MIGRATIONS, { id: next, statements: [`alter table profiles add column pet text default 'dog'`] }];
  await expect(migrate(db, edited)).rejects.toThrow(
    `Step ${next} of the database was made by another version of Satchel`,
  );
});
