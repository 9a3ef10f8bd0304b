/**
 * Characters that a person can't see in a name: two names look alike, a name looks empty, or a text is carried along
 * that only machines read. The rule, by where they stand:
 *
 * - Never: each character that Unicode calls default-ignorable (soft hyphen, zero-width space, word joiner, byte order
 *   mark, Hangul fillers, combining grapheme joiner, Mongolian vowel separator, direction marks and overrides, tags,
 * …),   line and paragraph separators, interlinear annotation. But for:
 * - U+200C and U+200D between letters of scripts that are written with them (Arabic, Persian, Indic, …), and after a
 * virama.
 * - U+200D between two emoji of one sequence.
 * - U+FE0E and U+FE0F after an emoji, and in a keycap such as 1️⃣.
 * - Variation selectors after Han, Mongolian, Myanmar and Phags-pa letters and mathematical operators, whose form they
 * choose.
 * - Tags in the flags of England, Scotland and Wales, exactly.
 */

/** Replaces a character that can't be seen. */
const REPLACEMENT = '\ufffd';

const IGNORABLE = '\\p{Default_Ignorable_Code_Point}';
const JOINED_SCRIPTS = [
  ...['Arab', 'Syrc', 'Nkoo', 'Mong', 'Adlm'],
  ...['Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml', 'Telu', 'Knda', 'Mlym', 'Sinh', 'Khmr', 'Mymr'],
];
const JOINED = `(?=[\\p{L}\\p{M}])(?!${IGNORABLE})[${JOINED_SCRIPTS.map((script) => `\\p{scx=${script}}`).join('')}]`;
const VIRAMA =
  '[\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d3b\\u0d3c\\u0d4d\\u0dca\\u17d2\\u1039\\u103a]';
const EMOJI = '\\p{Extended_Pictographic}';
const tags = (letters: string) => [...letters].map((letter) => `\\u{e00${letter.charCodeAt(0).toString(16)}}`).join('');

const FLAGS = `\\u{1f3f4}(?:${['gbeng', 'gbsct', 'gbwls'].map(tags).join('|')})\\u{e007f}`;

/**
 * Where an unseen character may stand: what comes before it, the character, what comes after it. Each is matched from its beginning
 * on: of characters above U+FFFF, WebKit misses a class in a lookbehind (WebKitGTK 2.50), Chromium and Firefox one at an end (`$`).
 */
const PLACES = [
  [JOINED, '[\\u200c\\u200d]', JOINED],
  [VIRAMA, '[\\u200c\\u200d]'],
  [`${EMOJI}\\ufe0f?\\p{Emoji_Modifier}?`, '\\u200d', EMOJI],
  ['(?![\\0-\\x7f])[\\p{Emoji}\\p{Extended_Pictographic}]', '[\\ufe0e\\ufe0f]'],
  ['[0-9#*]', '\\ufe0f', '\\u20e3'],
  ['\\p{scx=Hani}', '[\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}]'],
  ['(?=\\p{L})\\p{sc=Mong}', '[\\u180b-\\u180d\\u180f]'],
  ['[\\p{sc=Mymr}\\p{sc=Phag}\\u2200-\\u22ff\\u2a00-\\u2aff]', '\\ufe00'],
].map(([before, character, after = '']) => new RegExp(`^(${before})${character}${after}`, 'u'));
/** Code units of the longest that comes before. */
const BEFORE_MAX = 5;
const UNSEEN = new RegExp(`(${FLAGS})|[${IGNORABLE}\\u2028\\u2029\\ufff9-\\ufffb]`, 'gu');

function isSeen(text: string, at: number): boolean {
  for (let before = 1; before <= Math.min(BEFORE_MAX, at); before += 1) {
    const around = text.slice(at - before, at + BEFORE_MAX);
    if (PLACES.some((place) => place.exec(around)?.[1]?.length === before)) return true;
  }
  return false;
}

const replaceUnseen = (text: string, replacement: string): string =>
  text.replace(
    UNSEEN,
    (character, flag: string | undefined, at: number) => flag ?? (isSeen(text, at) ? character : replacement),
  );

/** True if `text` has a character that can't be seen. */
export const hasUnseen = (text: string): boolean => replaceUnseen(text, '') !== text;

/** Replaces each unseen character by a visible sign: for other people's text. */
export const showUnseen = (text: string): string => replaceUnseen(text, REPLACEMENT);

/** Drops unseen characters: for text that a person types or pastes, who sees no difference. */
export const dropUnseen = (text: string): string => replaceUnseen(text, '');
