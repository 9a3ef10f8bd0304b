import { expect, test } from 'vitest';
import { themeChoiceOf } from './theme.ts';

test('a page is dark until somebody chooses', () => {
  expect(themeChoiceOf(null)).toBe('dark');
  expect(themeChoiceOf('purple')).toBe('dark');
});

test('a choice is kept', () => {
  for (const choice of ['dark', 'light', 'system'] as const) expect(themeChoiceOf(choice)).toBe(choice);
});
