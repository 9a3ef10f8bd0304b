import { t } from '@lingui/core/macro';
import type { AppError, ErrorCode, Params } from '@satchel/contract/errors';

/** The catalogue of errors in one language: `text` of each row of the contract's. */
export type ErrorTexts = Readonly<Record<ErrorCode, (params: Params) => string>>;

let texts: ErrorTexts | null = null;

/** Sets the language of error texts. `null` is English, which every error carries itself. */
export function setErrorTexts(table: ErrorTexts | null): void {
  texts = table;
}

const SERVER_FAULT = 500;

/**
 * The text of an error, in the language of the page. Where only the operator can find out more, it has the
 * name that the request has in the server's log.
 * @param options.isReported true if that holds for every status
 */
export function errorText(
  { code, params, message, status, request_id }: AppError,
  { isReported = status >= SERVER_FAULT }: { readonly isReported?: boolean } = {},
): string {
  const text = texts?.[code]?.(params) ?? message;
  if (!isReported || request_id === undefined) return text;
  const sentence = text.replace(/\.$/, '');
  return t`${sentence}. Reference: ${request_id}`;
}
