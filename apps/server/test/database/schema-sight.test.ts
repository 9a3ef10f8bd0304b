import { LinkMode } from '@satchel/contract/entities';
import { factsSeen, type SeenFolder, SIGHT_FACTS } from '@satchel/contract/server-sight';
import { getTableConfig } from 'drizzle-orm/pg-core';
import { describe, expect, test } from 'vitest';
import { factsStored, SCHEMA_SIGHT } from '../support/database/schema-sight.ts';
import { TABLES } from '../support/tables.ts';

/** Compares "What the server can see" on the folder page with the columns of the server's tables. */

const FOLDERS: readonly SeenFolder[] = LinkMode.options.flatMap((link_mode) =>
  [true, false].map((hide_names) => ({ link_mode, hide_names })),
);

const columnsOf = (tables: typeof TABLES) =>
  tables.flatMap((table) => {
    const { name, columns } = getTableConfig(table);
    return columns.map((column) => `${name}.${column.name}`);
  });
const described = Object.entries(SCHEMA_SIGHT).flatMap(([table, columns]) =>
  Object.keys(columns).map((column) => `${table}.${column}`),
);

test('every column is described, by what it tells of a folder or why it tells nothing; and no other is', () => {
  expect(described.toSorted()).toEqual(columnsOf(TABLES).toSorted());
});

test('a column that tells nothing says why', () => {
  const silent = Object.values(SCHEMA_SIGHT)
    .flatMap((columns) => Object.entries(columns))
    .filter(([, { tells, because }]) => tells.size === 0 && !because);
  expect(silent).toEqual([]);
});

describe.each(FOLDERS)('of a folder ($link_mode, names hidden: $hide_names)', (folder) => {
  const stored = factsStored(folder);

  test('the page says every fact that a column tells', () => {
    const unsaid = [...stored].filter(([fact]) => !factsSeen(folder).has(fact));
    expect(unsaid).toEqual([]);
  });

  test('the page says only facts that a column tells', () => {
    expect([...factsSeen(folder)].filter((fact) => !stored.has(fact))).toEqual([]);
  });
});

test('every fact is true of some folder', () => {
  const told = new Set(FOLDERS.flatMap((folder) => [...factsStored(folder).keys()]));
  expect(SIGHT_FACTS.filter((fact) => !told.has(fact))).toEqual([]);
});
