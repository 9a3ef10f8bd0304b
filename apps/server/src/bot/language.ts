import de from './locales/de.json' with { type: 'json' };
import es from './locales/es.json' with { type: 'json' };
import fr from './locales/fr.json' with { type: 'json' };

/** The languages that the bot speaks. */
export const LANGUAGES = ['en', 'de', 'fr', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A text in each language. */
export type Texts<T> = Readonly<Record<Language, T>>;

type Catalogue = typeof de;
/** What is missing in one of these files doesn't compile. */
const CATALOGUES: Readonly<Record<Exclude<Language, 'en'>, Catalogue>> = { de, fr, es };

/** The names of a text's places, such as `{name}`. */
type PlacesIn<Text extends string> = Text extends `${string}{${infer Place}}${infer Rest}`
  ? Place | PlacesIn<Rest>
  : never;
export type Values<Place extends string = string> = Readonly<Record<Place, string | number>>;
/** A text without places, or what fills them in. */
type Said<Text extends string> = [PlacesIn<Text>] extends [never] ? string : (values: Values<PlacesIn<Text>>) => string;

const said = (text: string): string | ((values: Values) => string) =>
  text.includes('{') ? (values) => text.replace(/\{(\w+)\}/g, (_, place) => String(values[place])) : text;

/**
 * The texts of one part of the bot. English stands in the code; `locales/` has the other languages, a file each.
 * @param part its name in those files
 */
export function textsIn<
  Part extends keyof Catalogue,
  const English extends Readonly<Record<keyof Catalogue[Part], string>>,
>(part: Part, english: English): Texts<{ readonly [Name in keyof Catalogue[Part]]: Said<English[Name]> }> {
  const all: Texts<Readonly<Record<string, string>>> = {
    en: english,
    de: CATALOGUES.de[part],
    fr: CATALOGUES.fr[part],
    es: CATALOGUES.es[part],
  };
  const read = (language: Language) =>
    Object.fromEntries(Object.entries(all[language]).map(([name, text]) => [name, said(text)]));
  return Object.fromEntries(LANGUAGES.map((language) => [language, read(language)])) as never;
}

const isLanguage = (text: string): text is Language => LANGUAGES.some((language) => language === text);

/**
 * The language of a reply.
 * @param locale of Discord's list, such as `de` or `es-419`
 */
export function languageOf(locale: string | undefined): Language {
  const [language = ''] = (locale ?? '').split('-');
  return isLanguage(language) ? language : 'en';
}
