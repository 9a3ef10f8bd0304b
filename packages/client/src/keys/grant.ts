import type { RedeemOutput } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { PATHS } from '@satchel/contract/paths';
import type { Api } from '../api.ts';
import { fragmentText } from './link-parts.ts';

/** The way into a restricted folder: a grant in the fragment, which no server sees or logs. */

/** Punctuation of a sentence may follow the grant. */
const GRANT = /^grant=([\w-]*).*$/;

export interface GrantFragment {
  readonly grant: string;
  /** The rest of the fragment, without a `#`: the key is handled as if it had come alone. */
  readonly rest: string;
}

/** @param hash a fragment that brings a grant, with or without its `#` */
export function splitGrant(hash: string): GrantFragment {
  const parts = fragmentText(hash).split('&');
  const grant = parts.find((part) => GRANT.test(part))?.replace(GRANT, '$1') ?? '';
  return { grant, rest: parts.filter((part) => !GRANT.test(part)).join('&') };
}

/**
 * Lets this browser into a folder. A used grant does no harm to visitors with access already: the owner, a guest who went
 * back in the history, and all visitors once the folder is open to its link again.
 * @throws folder.not_found when the folder stays closed; what else the server said, or that it can't be reached
 */
export async function enterByGrant(
  { sendJson, rpc }: Pick<Api, 'sendJson' | 'rpc'>,
  slug: string,
  grant: string,
): Promise<void> {
  try {
    await sendJson<RedeemOutput>('POST', PATHS.redeemGrant, { grant }, { isRepeatable: true });
  } catch (error) {
    // The server refuses a truncated grant by its form.
    const isRefused = error instanceof AppError && (error.code === 'grant.invalid' || error.code === 'request.invalid');
    if (!isRefused) throw error;
    await rpc('get_folder_complete_data', { input_folder_slug: slug });
  }
}
