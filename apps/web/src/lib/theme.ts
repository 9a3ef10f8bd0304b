import { createStore, useStore } from './external-store.ts';

export type Theme = 'dark' | 'light';

const PAGE_COLOUR: Record<Theme, string> = { dark: '#0e0d13', light: '#f8f5f0' };

// public/theme.js has set the attribute before the first paint.
const store = createStore<Theme>(
  typeof document !== 'undefined' && document.documentElement.dataset.theme === 'light' ? 'light' : 'dark',
);

function remember(theme: Theme): void {
  try {
    localStorage.setItem('theme', theme);
  } catch {
    // Storage may be forbidden; the theme then lasts for this page.
  }
}

/** Switches the theme, with a cross-fade where the visitor allows motion. */
export function setTheme(theme: Theme): void {
  const apply = () => {
    document.documentElement.dataset.theme = theme;
    document.querySelector('meta[name="theme-color"]')?.setAttribute('content', PAGE_COLOUR[theme]);
    store.set(theme);
  };
  remember(theme);
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (still || !document.startViewTransition) apply();
  else document.startViewTransition(apply);
}

export const useTheme = (): Theme => useStore(store);
