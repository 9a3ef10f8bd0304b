import type { CodeLine, CodePart } from './highlight-code.ts';

/**
 * A text in blocks that a browser lays out one by one, as they come into view. A line may be the whole file: laid out at once, half a
 * megabyte of it stops a page for a second, and for minutes where its letters run in both directions.
 */

/** More than this is not laid out together. */
export const BLOCK_MAX_CHARS = 4000;
/** The same where letters run from right to left: a browser puts them in order again for each row, all letters of the block together. */
export const TURNED_MAX_CHARS = 600;
const BLOCK_MAX_LINES = 100;
/** About as many characters as a row of the page has. */
const ROW_CHARS = 100;
/** Each part is an element of the page. A program that a person wrote has fewer in a row than one that a machine has packed. */
const ROW_MAX_PARTS = 16;

export interface TextRow {
  /** From 1; null for what continues a line that was too long for one row. */
  readonly number: number | null;
  readonly parts: CodeLine;
}

export type TextBlock = readonly TextRow[];

export const rowText = ({ parts }: TextRow): string => parts.map(partText).join('');
export const partText = (part: CodePart): string => (typeof part === 'string' ? part : part[1]);
const withText = (part: CodePart, text: string): CodePart => (typeof part === 'string' ? text : [part[0], text]);

/** Marks belong to the letter before them, and so does the second half of a letter of UTF-16. */
const JOINED = /^(?:\p{M}|\u200d|[\udc00-\udfff])/u;
const JOINED_MAX = 64;

const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\u200f\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const maxCharsOf = (lines: readonly CodeLine[]): number =>
  lines.some((line) => line.some((part) => RIGHT_TO_LEFT.test(partText(part)))) ? TURNED_MAX_CHARS : BLOCK_MAX_CHARS;

/** A cut goes behind a blank that is no further than this from where it must be. */
const BLANK_WITHIN = 80;

/** Where to cut a text before a number of characters. */
export function cutPlace(text: string, atMost: number): number {
  const blank = text.lastIndexOf(' ', atMost - 1);
  if (blank >= 0 && blank >= atMost - BLANK_WITHIN) return blank + 1;
  for (let at = atMost; at > Math.max(0, atMost - JOINED_MAX); at -= 1)
    if (!JOINED.test(text.slice(at, at + 2))) return at;
  return atMost;
}

/** Cuts a line into rows, each short enough for a block. */
function* rowsOf(line: CodeLine, maxChars: number): Generator<CodeLine> {
  let row: CodePart[] = [];
  let length = 0;
  for (const part of line) {
    let rest = partText(part);
    while (length + rest.length > maxChars) {
      const at = cutPlace(rest, maxChars - length);
      if (at > 0) row.push(withText(part, rest.slice(0, at)));
      rest = rest.slice(at);
      yield row;
      row = [];
      length = 0;
    }
    if (rest !== '') row.push(withText(part, rest));
    length += rest.length;
  }
  yield row;
}

/** The rows that a block takes on the page. */
export const rowsOfPage = (block: TextBlock): number =>
  block.reduce((sum, row) => sum + Math.max(1, Math.ceil(rowText(row).length / ROW_CHARS)), 0);

/** A block without its colours, where it has too many parts. */
function thinned(block: TextBlock): TextBlock {
  const count = block.reduce((sum, { parts }) => sum + parts.length, 0);
  if (count <= ROW_MAX_PARTS * rowsOfPage(block)) return block;
  return block.map((row) => ({ ...row, parts: [rowText(row)] }));
}

/** The blocks of a text's lines; joined, they say exactly what the lines say. */
export function textBlocks(lines: readonly CodeLine[]): readonly TextBlock[] {
  const maxChars = maxCharsOf(lines);
  const blocks: TextRow[][] = [];
  let block: TextRow[] = [];
  let length = 0;
  for (const [index, line] of lines.entries()) {
    let number: number | null = index + 1;
    for (const parts of rowsOf(line, maxChars)) {
      const chars = parts.reduce((sum, part) => sum + partText(part).length, 0);
      if (block.length === BLOCK_MAX_LINES || (block.length > 0 && length + chars > maxChars)) {
        blocks.push(block);
        block = [];
        length = 0;
      }
      block.push({ number, parts });
      length += chars;
      number = null;
    }
  }
  if (block.length > 0) blocks.push(block);
  return blocks.map(thinned);
}

/** A text without colours. */
export const plainLines = (text: string): readonly CodeLine[] =>
  text.split('\n').map((line) => (line === '' ? [] : [line]));
