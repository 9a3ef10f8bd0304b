import { createStore } from './external-store.ts';
import { keepChoice, keptChoice } from './kept-choice.ts';
import { useStore } from './page-hooks.ts';

/** What the page looks like. */
export type Theme = 'dark' | 'light';
/** What a visitor can choose; `system` follows their device. */
export type ThemeChoice = Theme | 'system';

const STORAGE_NAME = 'theme';
const PAGE_COLOUR: Record<Theme, string> = { dark: '#0e0d13', light: '#f8f5f0' };

/** Parses a stored choice; the device's theme for anything else (public/theme.js reads it alike). */
export const themeChoiceOf = (stored: string | null): ThemeChoice =>
  stored === 'light' || stored === 'dark' ? stored : 'system';

const inBrowser = typeof document !== 'undefined';
const choice = createStore<ThemeChoice>(themeChoiceOf(keptChoice(STORAGE_NAME)));
// public/theme.js has set the attribute before the first paint.
const shown = createStore<Theme>(inBrowser && document.documentElement.dataset.theme === 'light' ? 'light' : 'dark');
const systemIsLight = () => matchMedia('(prefers-color-scheme: light)');

/** The theme requested last: a cross-fade begins some frames later, and another choice may come before it. */
let asked = shown.get();

/** Shows a theme, with a cross-fade where the visitor allows motion. */
function show(theme: Theme): void {
  if (theme === asked) return;
  asked = theme;
  const apply = () => {
    document.documentElement.dataset.theme = theme;
    document.querySelector('meta[name="theme-color"]')?.setAttribute('content', PAGE_COLOUR[theme]);
    shown.set(theme);
  };
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (still || !document.startViewTransition) apply();
  else document.startViewTransition(apply);
}

function showChoice(wanted: ThemeChoice): void {
  choice.set(wanted);
  if (wanted === 'system') show(systemIsLight().matches ? 'light' : 'dark');
  else show(wanted);
}

/** Chooses a theme, and remembers it on this device. */
export function setTheme(wanted: ThemeChoice): void {
  keepChoice(STORAGE_NAME, wanted);
  showChoice(wanted);
}

/** Follows the device where that is the choice, and the choices made in other tabs. */
export function followTheme(): void {
  systemIsLight().addEventListener('change', () => showChoice(choice.get()));
  addEventListener('storage', ({ key, newValue }: StorageEvent) => {
    if (key === STORAGE_NAME) showChoice(themeChoiceOf(newValue));
  });
}

export const useTheme = (): Theme => useStore(shown);
export const useThemeChoice = (): ThemeChoice => useStore(choice);
