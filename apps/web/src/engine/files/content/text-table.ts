import Papa from 'papaparse';
import { TABLE_MAX_COLUMNS, TABLE_MAX_ROWS, type TextTable } from './content-messages.ts';

/** Reads a table in a text. Cells are text: a formula in one is shown, and computed by nothing here. */

/** A longer cell is cut: it would push all others out of sight. */
const CELL_MAX_CHARS = 1000;
const DELIMITERS = [',', ';', '\t', '|'];
/** "sep=;" in the first line is how Excel writes down the delimiter. */
const NAMED_DELIMITER = /^sep=([,;\t|])\r?\n/;

const cutCell = (cell: string): string => (cell.length > CELL_MAX_CHARS ? `${cell.slice(0, CELL_MAX_CHARS)}…` : cell);

/** @param text at most as long as what the page shows of a text; it may end in the middle of a row */
export function readTable(text: string): TextTable {
  const [line = '', delimiter = ''] = NAMED_DELIMITER.exec(text) ?? [];
  const { data } = Papa.parse<string[]>(text.slice(line.length), {
    delimiter,
    delimitersToGuess: DELIMITERS,
    skipEmptyLines: true,
  });
  const rows = data.slice(0, TABLE_MAX_ROWS);
  const width = Math.max(0, ...rows.map(({ length }) => length));
  const columns = Math.min(width, TABLE_MAX_COLUMNS);
  return {
    rows: rows.map((row) => Array.from({ length: columns }, (_, at) => cutCell(row[at] ?? ''))),
    isCut: data.length > TABLE_MAX_ROWS || width > TABLE_MAX_COLUMNS,
  };
}
