import { afterEach, expect, test, vi } from 'vitest';
import { themeChoiceOf } from './theme-choice.ts';

afterEach(() => vi.unstubAllGlobals());

test('a page follows the device until the visitor chooses a theme', () => {
  expect(themeChoiceOf(null)).toBe('system');
  expect(themeChoiceOf('purple')).toBe('system');
});

test('a choice is kept', () => {
  for (const choice of ['dark', 'light', 'system'] as const) expect(themeChoiceOf(choice)).toBe(choice);
});

test('of two choices made quickly the last one is shown, though the cross-fade of the first has not begun', async () => {
  const fades: (() => void)[] = [];
  const documentElement = { dataset: { theme: 'dark' } };
  const startViewTransition = (apply: () => void) => fades.push(apply);
  vi.stubGlobal('document', { documentElement, querySelector: () => null, startViewTransition });
  vi.stubGlobal('matchMedia', () => ({ matches: false }));
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => {} });
  vi.resetModules();
  const { setTheme } = await import('./theme.ts');
  setTheme('light');
  setTheme('dark');
  for (const apply of fades) apply();
  expect(documentElement.dataset.theme).toBe('dark');
});
