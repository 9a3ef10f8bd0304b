/**
 * The lines of a text as a person may see them: what would act on a terminal or turn the direction of a line is made visible
 * ("Trojan Source", CVE-2021-42574), since two programs that look alike must not differ.
 */

/** More lines make the page slow. */
export const LINES_MAX = 5000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/**
 * More letters without a width than one word has: all of them would stand in one place of one row, and a browser, which lays out what is
 * in view, would lay out the whole text at once.
 */
const WIDTHLESS = /[\p{M}\p{Default_Ignorable_Code_Point}]{64}/gu;

function shownControl(character: string): string {
  const code = character.charCodeAt(0);
  // Unicode has a picture for each of these.
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
}

export interface TextLines {
  /** The first lines, with each end of a line the same. */
  readonly text: string;
  readonly isCut: boolean;
}

/** The end of the first `count` lines of a text. */
function endOfLines(text: string, count: number): number {
  let at = -1;
  for (let line = 0; line < count; line += 1) {
    at = text.indexOf('\n', at + 1);
    if (at < 0) return text.length;
  }
  return at;
}

/** The first lines of a text; letters without a width fill lines, too. @param isProgram direction marks are shown, which other texts may need to be read */
export function textLines(text: string, { isProgram = false, maxLines = LINES_MAX } = {}): TextLines {
  const whole = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  const end = endOfLines(whole, maxLines);
  const first = whole.slice(0, end);
  const shown = first.replace(CONTROLS, (character) =>
    isProgram || character < '\u00a0' ? shownControl(character) : character,
  );
  return { text: shown.replace(WIDTHLESS, '$&\n'), isCut: end < whole.length - 1 };
}
