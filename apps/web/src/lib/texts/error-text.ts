import type { AppError, ErrorCode, Params } from '@satchel/contract/errors';

/** The catalogue of errors in one language: `text` of each row of the contract's. */
export type ErrorTexts = Readonly<Record<ErrorCode, (params: Params) => string>>;

let texts: ErrorTexts | null = null;

/** Sets the language of error texts. `null` is English, which every error carries itself. */
export function setErrorTexts(table: ErrorTexts | null): void {
  texts = table;
}

/** The text of an error, in the language of the page (DESIGN §3). */
export const errorText = ({ code, params, message }: AppError): string => texts?.[code]?.(params) ?? message;
