import { i18n, type Messages } from '@lingui/core';
import { type ErrorTexts, setErrorTexts } from './error-text.ts';
import { createStore, useStore } from './external-store.ts';

/** Languages in their own words; the first is the source language. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

/** The parts of the site whose texts load on their own (lingui.config.ts). */
export type Texts =
  | 'shell'
  | 'common'
  | 'landing'
  | 'account'
  | 'create'
  | 'folder'
  | 'share'
  | 'settings'
  | 'activity';

const CATALOGUES = import.meta.glob<{ messages: Messages }>('../locales/*/*.po');
const ERRORS = import.meta.glob<{ ERROR_TEXTS: ErrorTexts }>('../locales/*/errors.ts');
const STORAGE_NAME = 'language';

const isLanguage = (value: unknown): value is Language => typeof value === 'string' && Object.hasOwn(LANGUAGES, value);

/**
 * The first language of ours that somebody reads.
 * @param wanted language tags by preference, such as `de-AT`
 */
export function preferredLanguage(wanted: readonly string[]): Language {
  const bases = wanted.map((tag) => tag.toLowerCase().split('-')[0]);
  return bases.find(isLanguage) ?? 'en';
}

function rememberedLanguage(): Language | null {
  try {
    const value = localStorage.getItem(STORAGE_NAME);
    return isLanguage(value) ? value : null;
  } catch {
    return null;
  }
}

const store = createStore<Language>('en');
export const useLanguage = (): Language => useStore(store);

const loading = new Map<Texts, Promise<void>>();

async function fetchTexts(texts: Texts, language: Language): Promise<void> {
  const fetchCatalogue = CATALOGUES[`../locales/${language}/${texts}.po`];
  if (!fetchCatalogue) throw new Error(`There are no ${texts} texts in ${language}`);
  const { messages } = await fetchCatalogue();
  i18n.load(language, messages);
}

/**
 * Fetches the texts of a part of the site in the language of the page, once.
 * @throws what the import throws, such as without a network; the next call then tries again
 */
export function loadTexts(texts: Texts): Promise<void> {
  const known = loading.get(texts);
  if (known) return known;
  const fetched = fetchTexts(texts, store.get()).catch((error: unknown) => {
    loading.delete(texts);
    throw error;
  });
  loading.set(texts, fetched);
  return fetched;
}

/** English has none: every error carries its English text. */
const fetchErrorTexts = async (language: Language): Promise<ErrorTexts | null> =>
  (await ERRORS[`../locales/${language}/errors.ts`]?.())?.ERROR_TEXTS ?? null;

async function activate(language: Language): Promise<void> {
  const parts = [...new Set<Texts>(['shell', ...loading.keys()])];
  const [errorTexts] = await Promise.all([
    fetchErrorTexts(language),
    ...parts.map((texts) => fetchTexts(texts, language)),
  ]);
  setErrorTexts(errorTexts);
  loading.set('shell', Promise.resolve());
  store.set(language);
  document.documentElement.lang = language;
  i18n.activate(language);
}

/** Another tab of this site changed the language: this one follows. */
function followOtherTabs({ key, newValue }: StorageEvent): void {
  if (key !== STORAGE_NAME || !isLanguage(newValue) || newValue === store.get()) return;
  activate(newValue).catch(() => console.warn('The texts of another language could not be fetched.'));
}

/** The visitor's language, by what they chose here before, else by what their browser asks for. */
export async function startLanguage(): Promise<void> {
  addEventListener('storage', followOtherTabs);
  await activate(rememberedLanguage() ?? preferredLanguage(navigator.languages));
}

/**
 * Changes the language of the whole page, and remembers it on this device.
 * @throws what the import of its texts throws; the page then stays as it was
 */
export async function setLanguage(language: Language): Promise<void> {
  await activate(language);
  try {
    localStorage.setItem(STORAGE_NAME, language);
  } catch {
    // Storage may be forbidden; the language then lasts for this page.
  }
}
