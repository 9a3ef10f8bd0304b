/**
 * A table in a text: fields between commas, semicolons, tabs or bars, quoted where they hold those (RFC 4180). Cells are
 * text: a formula in one is shown, and computed by nothing here.
 */

export interface TextTable {
  /** Every row has as many cells as the longest. */
  readonly rows: readonly (readonly string[])[];
  /** Whether rows or columns beyond the bounds were left out. */
  readonly isCut: boolean;
}

export const TABLE_MAX_ROWS = 1000;
export const TABLE_MAX_COLUMNS = 100;
/** A longer cell is cut: it would push all others out of sight. */
const CELL_MAX_CHARS = 1000;

const DELIMITERS = [',', ';', '\t', '|'] as const;
type Delimiter = (typeof DELIMITERS)[number];

/** So many lines say which delimiter it is. */
const SAMPLE_ROWS = 10;

interface Parsed {
  readonly rows: string[][];
  readonly hasMore: boolean;
}

const cutCell = (cell: string): string => (cell.length > CELL_MAX_CHARS ? `${cell.slice(0, CELL_MAX_CHARS)}…` : cell);

/** The end of a quoted field: "each double-quote must be escaped by preceding it with another" (RFC 4180 §2.7). */
function quotedEnd(text: string, from: number): number {
  for (let at = from; ; at += 2) {
    at = text.indexOf('"', at);
    if (at < 0) return text.length;
    if (text[at + 1] !== '"') return at;
  }
}

function parse(text: string, delimiter: Delimiter, maxRows: number): Parsed {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    if (rows.length === maxRows) return { rows, hasMore: true };
    let cell = '';
    if (text[at] === '"') {
      const end = quotedEnd(text, at + 1);
      cell = text.slice(at + 1, end).replaceAll('""', '"');
      at = Math.min(text.length, end + 1);
    }
    // After a closing quote nothing should follow but a delimiter; what does is kept.
    const from = at;
    while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at += 1;
    row.push(cutCell(cell + text.slice(from, at)));
    if (text[at] === delimiter) {
      at += 1;
      // A delimiter at the very end opens one more, empty cell.
      if (at < text.length) continue;
      row.push('');
    } else {
      at += text.startsWith('\r\n', at) ? 2 : 1;
    }
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  }
  return { rows, hasMore: false };
}

/** The delimiter that gives the first rows the most cells of one number. */
function delimiterOf(text: string): Delimiter {
  const score = (delimiter: Delimiter): number => {
    const { rows } = parse(text, delimiter, SAMPLE_ROWS);
    const [first, ...others] = rows.map(({ length }) => length);
    if (first === undefined || first < 2) return 0;
    const alike = others.filter((length) => length === first).length;
    return (1 + alike) / (1 + others.length) + first / 1e6;
  };
  return DELIMITERS.reduce((best, next) => (score(next) > score(best) ? next : best));
}

/** "sep=;" in the first line is how Excel writes down the delimiter. */
const NAMED_DELIMITER = /^sep=([,;\t|])\r?\n/;

/**
 * Reads a table.
 * @param text may end in the middle of a row
 */
export function readTable(text: string): TextTable {
  const [line = '', named] = NAMED_DELIMITER.exec(text) ?? [];
  const body = text.slice(line.length);
  const delimiter = (named as Delimiter | undefined) ?? delimiterOf(body);
  const { rows, hasMore } = parse(body, delimiter, TABLE_MAX_ROWS);
  const width = rows.reduce((widest, { length }) => Math.max(widest, length), 0);
  const columns = Math.min(width, TABLE_MAX_COLUMNS);
  return {
    rows: rows.map((row) => Array.from({ length: columns }, (_, at) => row[at] ?? '')),
    isCut: hasMore || width > TABLE_MAX_COLUMNS,
  };
}
