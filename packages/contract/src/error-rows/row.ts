/** The parts of both halves of the error catalogue. */

export type Params = Readonly<Record<string, string | number>>;
export interface Row {
  readonly status: number;
  readonly text: (params: Params) => string;
}

/** A row: an HTTP status, and the English text, verbatim where it is specified. */
export const row = (status: number, text: string | ((params: Params) => string)): Row => ({
  status,
  text: typeof text === 'string' ? () => text : text,
});

/** A number with its noun: `1 try`, `2 tries`. */
export const count = (n: string | number | undefined, one: string, many: string): string =>
  `${n} ${Number(n) === 1 ? one : many}`;
