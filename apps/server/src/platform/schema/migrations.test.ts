import { expect, test } from 'vitest';
import { MIGRATIONS, migrationHash } from './migrations.ts';

/** Hashes of the published steps. */
const HASHES = ['fc428a19323feb59651d024a37b27ad85499436d86f4b587ba6e6562a1c4379e'];

test('a published step keeps its hash', () => {
  expect(MIGRATIONS.slice(0, HASHES.length).map(migrationHash)).toEqual(HASHES);
});

test('steps are numbered in order, without a gap', () => {
  expect(MIGRATIONS.map(({ id }) => id)).toEqual(MIGRATIONS.map((_, index) => index + 1));
});
