import { expect, test } from 'vitest';
import { createScreen } from './screen.mjs';

test('what runs beside the first is printed once that has ended, and as it comes from then on', () => {
  let printed = '';
  const screen = createScreen((text) => {
    printed += text;
  });
  const [first, second, third] = [screen.open(), screen.open(), screen.open()];
  second.write('b1 ');
  first.write('a1 ');
  third.write('c1 ');
  expect([first, second, third].map((section) => section.isShown())).toEqual([true, false, false]);
  third.end();
  expect(printed).toBe('a1 ');
  first.end();
  expect(printed).toBe('a1 b1 ');
  second.write('b2 ');
  second.end();
  expect(printed).toBe('a1 b1 b2 c1 ');
  const last = screen.open();
  last.write('d1');
  expect(printed).toBe('a1 b1 b2 c1 d1');
});
