import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../runtime/paths.mjs';
import { placeOf } from './longest-first.mjs';
import { SUITES } from './suites.mjs';

const longest = SUITES.flatMap((suite) => suite.longest ?? []);

test('the test files that begin first are there', () => {
  expect(longest.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect(new Set(longest).size).toBe(longest.length);
});

test('they begin in their order, before all others', () => {
  const paths = ['tests/e2e/another.test.ts', ...longest.toReversed()];
  expect(paths.sort((one, other) => placeOf(one) - placeOf(other))).toEqual([...longest, 'tests/e2e/another.test.ts']);
});
