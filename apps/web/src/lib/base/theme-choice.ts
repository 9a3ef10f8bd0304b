/** Dark or light, for the script at the head of the page, too (shell/start.ts): nothing here imports React. */

/** What the page looks like. */
export type Theme = 'dark' | 'light';
/** What a visitor can choose; `system` follows their device. */
export type ThemeChoice = Theme | 'system';

/** Where this device keeps the choice. */
export const THEME_NAME = 'theme';
/** --canvas of tokens.css, in the form that the browser's own bar takes. */
const PAGE_COLOUR: Record<Theme, string> = { dark: '#0e0d13', light: '#f8f5f0' };

/** Parses a stored choice; the device's theme for anything else. */
export const themeChoiceOf = (stored: string | null): ThemeChoice =>
  stored === 'light' || stored === 'dark' ? stored : 'system';

export const systemIsLight = () => matchMedia('(prefers-color-scheme: light)');

export function themeOf(choice: ThemeChoice): Theme {
  if (choice !== 'system') return choice;
  return systemIsLight().matches ? 'light' : 'dark';
}

export function paintTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', PAGE_COLOUR[theme]);
}
