import { keepChoice, keptChoice } from './device.ts';
import { createStore } from './external-store.ts';
import { useStore } from './page-hooks.ts';
import {
  paintTheme,
  systemIsLight,
  THEME_NAME,
  type Theme,
  type ThemeChoice,
  themeChoiceOf,
  themeOf,
} from './theme-choice.ts';

const inBrowser = typeof document !== 'undefined';
const choice = createStore<ThemeChoice>(themeChoiceOf(keptChoice(THEME_NAME)));
// shell/start.ts has set the attribute before the first paint.
const shown = createStore<Theme>(inBrowser && document.documentElement.dataset.theme === 'light' ? 'light' : 'dark');

/** The theme requested last: a cross-fade begins some frames later, and another choice may come before it. */
let asked = shown.get();

/** Shows a theme, with a cross-fade where the visitor allows motion. */
function show(theme: Theme): void {
  if (theme === asked) return;
  asked = theme;
  const apply = () => {
    paintTheme(theme);
    shown.set(theme);
  };
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (still || !document.startViewTransition) apply();
  else document.startViewTransition(apply);
}

function showChoice(wanted: ThemeChoice): void {
  choice.set(wanted);
  show(themeOf(wanted));
}

/** Chooses a theme, and remembers it on this device. */
export function setTheme(wanted: ThemeChoice): void {
  keepChoice(THEME_NAME, wanted);
  showChoice(wanted);
}

/** Follows the device where that is the choice, and the choices made in other tabs. */
export function followTheme(): void {
  systemIsLight().addEventListener('change', () => showChoice(choice.get()));
  addEventListener('storage', ({ key, newValue }: StorageEvent) => {
    if (key === THEME_NAME) showChoice(themeChoiceOf(newValue));
  });
}

export const useTheme = (): Theme => useStore(shown);
export const useThemeChoice = (): ThemeChoice => useStore(choice);
