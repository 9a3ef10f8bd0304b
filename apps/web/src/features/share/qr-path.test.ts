import { encode } from 'uqr';
import { expect, test } from 'vitest';
import { QUIET_MODULES, qrPath } from './qr-path.ts';

const link = `https://files.example.org/f/abcdefghijklmnop#k=${'A'.repeat(43)}`;

/** Modules covered by a path of horizontal runs. */
function modulesOf(path: string): Set<string> {
  const modules = new Set<string>();
  for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    for (let at = 0; at < Number(length); at++) modules.add(`${Number(x) + at},${y}`);
  }
  return modules;
}

test('every dark module of the code is drawn, and no light one', () => {
  const { path, size } = qrPath(link);
  const { data } = encode(link, { ecc: 'L', border: 0 });
  const dark = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`${x + QUIET_MODULES},${y + QUIET_MODULES}`] : [])),
  );
  expect(modulesOf(path)).toEqual(new Set(dark));
  expect(size).toBe(data.length + 2 * QUIET_MODULES);
});

test('the quiet zone of four modules stays light on every side', () => {
  const { path, size } = qrPath(link);
  const places = [...modulesOf(path)].flatMap((module) => module.split(',').map(Number));
  expect(Math.min(...places)).toBe(QUIET_MODULES);
  expect(Math.max(...places)).toBe(size - QUIET_MODULES - 1);
});
