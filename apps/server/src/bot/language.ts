/** The languages that the bot speaks. */
export const LANGUAGES = ['en', 'de', 'fr', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A text in each language. */
export type Texts<T> = Readonly<Record<Language, T>>;

const isLanguage = (text: string): text is Language => LANGUAGES.some((language) => language === text);

/**
 * The language of a reply.
 * @param locale of Discord's list, such as `de` or `es-419`
 */
export function languageOf(locale: string | undefined): Language {
  const [language = ''] = (locale ?? '').split('-');
  return isLanguage(language) ? language : 'en';
}
