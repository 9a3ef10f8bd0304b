import { expect, test } from 'vitest';
import { moveInGrid } from './grid-moves.ts';

/** Eleven files in rows of four: 0–3, 4–7, 8–10. */
const from = (active: number, key: string, ctrlKey = false) =>
  moveInGrid({ key, ctrlKey }, { active, count: 11, columns: 4, pageRows: 2 });

test('left and right move through all files and stop at both ends', () => {
  expect(from(3, 'ArrowRight')).toBe(4);
  expect(from(4, 'ArrowLeft')).toBe(3);
  expect(from(10, 'ArrowRight')).toBe(10);
  expect(from(0, 'ArrowLeft')).toBe(0);
});

test('up and down keep their column', () => {
  expect(from(1, 'ArrowDown')).toBe(5);
  expect(from(5, 'ArrowUp')).toBe(1);
  expect(from(1, 'ArrowUp')).toBe(1);
  expect(from(9, 'ArrowDown')).toBe(9);
});

test('down into a shorter last row lands on its end', () => {
  expect(from(7, 'ArrowDown')).toBe(10);
});

test('Home and End stay in the row, with Ctrl they leave it', () => {
  expect(from(6, 'Home')).toBe(4);
  expect(from(4, 'End')).toBe(7);
  expect(from(8, 'End')).toBe(10);
  expect(from(6, 'Home', true)).toBe(0);
  expect(from(2, 'End', true)).toBe(10);
});

test('Page keys jump some rows and stay inside', () => {
  expect(from(1, 'PageDown')).toBe(9);
  expect(from(7, 'PageDown')).toBe(10);
  expect(from(9, 'PageUp')).toBe(1);
  expect(from(6, 'PageUp')).toBe(2);
});

test('other keys move nothing', () => {
  expect(from(0, 'Enter')).toBeNull();
  expect(from(0, 'a')).toBeNull();
});
