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
