import { i18n, type Messages } from '@lingui/core';
import { messages as shellInEnglish } from '../../locales/en/shell.po';
import { keepChoice, keptChoice } from '../base/device.ts';
import { createStore } from '../base/external-store.ts';
import { useStore } from '../base/page-hooks.ts';
import { type ErrorTexts, setErrorTexts } from './error-text.ts';

/** Languages in their own words; the first is the source language. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español' } as const;
export type Language = keyof typeof LANGUAGES;

/** The parts of the site whose texts load on their own (lingui.config.ts). */
export type Texts =
  | 'shell'
  | 'common'
  | 'landing'
  | 'foot'
  | 'privacy'
  | 'account'
  | 'device'
  | 'create'
  | 'folder'
  | 'upload'
  | 'later'
  | 'locked'
  | 'share'
  | 'settings'
  | 'activity'
  | 'operator';

const ENGLISH = import.meta.glob<Messages>(['./en/*.po', '!./en/shell.po'], {
  base: '../../locales',
  import: 'messages',
});
/** Each of the other languages comes as two files: what a folder's page says at once, and the rest. */
interface Translation {
  readonly CATALOGUES: Readonly<Record<string, Messages>>;
  readonly ERROR_TEXTS?: ErrorTexts;
}
const TRANSLATIONS = import.meta.glob<Translation>('./*/texts-*.ts', { base: '../../locales' });
const FIRST: ReadonlySet<Texts> = new Set(['shell', 'common', 'folder']);
const STORAGE_NAME = 'language';

const isLanguage = (value: unknown): value is Language => typeof value === 'string' && Object.hasOwn(LANGUAGES, value);

/**
 * The first of the reader's languages that the site has.
 * @param wanted language tags by preference, such as `de-AT`
 */
export function preferredLanguage(wanted: readonly string[]): Language {
  const bases = wanted.map((tag) => tag.toLowerCase().split('-')[0]);
  return bases.find(isLanguage) ?? 'en';
}

function rememberedLanguage(): Language | null {
  const value = keptChoice(STORAGE_NAME);
  return isLanguage(value) ? value : null;
}

const store = createStore<Language>('en');
export const useLanguage = (): Language => useStore(store);

const loading = new Map<Texts, Promise<void>>();

const fetchTranslation = async (language: Language, more = '') =>
  TRANSLATIONS[`./${language}/texts-${language}${more}.ts`]?.();

async function fetchTexts(texts: Texts, language: Language): Promise<void> {
  // Comes with the shell's code.
  if (language === 'en' && texts === 'shell') return i18n.load(language, shellInEnglish);
  const messages =
    language === 'en'
      ? await ENGLISH[`./en/${texts}.po`]?.()
      : (await fetchTranslation(language, FIRST.has(texts) ? '' : '-more'))?.CATALOGUES[`./${texts}.po`];
  if (!messages) throw new Error(texts);
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
async function fetchErrorTexts(language: Language): Promise<ErrorTexts | null> {
  if (language === 'en') return null;
  return (await fetchTranslation(language))?.ERROR_TEXTS ?? null;
}

/** Counts language requests: when the texts of an earlier request arrive later, the last request still wins. */
let activations = 0;

/** @returns whether the page is in that language now; false when another one was requested in between */
async function activate(language: Language): Promise<boolean> {
  activations += 1;
  const own = activations;
  const parts = new Set<Texts>(['shell', ...loading.keys()]);
  const [errorTexts] = await Promise.all([
    fetchErrorTexts(language),
    ...[...parts].map((texts) => fetchTexts(texts, language)),
  ]);
  // Parts requested in between came in the former language.
  if (store.get() !== language)
    await Promise.all(
      [...loading.keys()].filter((texts) => !parts.has(texts)).map((texts) => fetchTexts(texts, language)),
    );
  if (own !== activations) return false;
  setErrorTexts(errorTexts);
  loading.set('shell', Promise.resolve());
  store.set(language);
  document.documentElement.lang = language;
  i18n.activate(language);
  return true;
}

/** Another tab of this site changed the language: this one follows. */
function followOtherTabs({ key, newValue }: StorageEvent): void {
  if (key !== STORAGE_NAME || !isLanguage(newValue) || newValue === store.get()) return;
  activate(newValue).catch(() => console.warn('Texts could not be fetched.'));
}

/** The visitor's language, by what they chose here before, else by what their browser asks for. */
export const askedLanguage = (): Language => rememberedLanguage() ?? preferredLanguage(navigator.languages);

/** Begins to follow the visitor's language, and loads its texts. */
export async function startLanguage(): Promise<void> {
  addEventListener('storage', followOtherTabs);
  // At once, so that the first page's texts come beside these and in the same language.
  store.set(askedLanguage());
  await activate(store.get());
}

/**
 * Changes the language of the whole page, and remembers it on this device.
 * @throws what the import of its texts throws; the page then stays as it was
 */
export async function setLanguage(language: Language): Promise<void> {
  if (await activate(language)) keepChoice(STORAGE_NAME, language);
}
