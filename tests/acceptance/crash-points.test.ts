import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CRASH_POINTS } from '../faults/points/crash-points.ts';

const SOURCES = join(import.meta.dirname, '../../apps/server/src');

test('each named crash point is at one statement of the sources', () => {
  for (const { name, file, statement } of CRASH_POINTS) {
    const found = readFileSync(join(SOURCES, file), 'utf8').split(statement).length - 1;
    expect({ name, found }).toEqual({ name, found: 1 });
  }
  expect(new Set(CRASH_POINTS.map(({ name }) => name)).size).toBe(CRASH_POINTS.length);
});
