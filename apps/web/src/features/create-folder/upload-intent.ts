import { fragmentText } from '@satchel/client/keys/link-parts';
import type { RedeemIntentOutput } from '@satchel/contract/api';
import type { AppError } from '@satchel/contract/errors';
import { PATHS } from '@satchel/contract/paths';
import type { sendJson } from '../../lib/api/api.ts';
import { tabStorage } from '../../lib/base/device.ts';
import type { Prefill } from './folder-draft.ts';

/**
 * An upload request of Discord's /upload command. It comes as a token in the fragment, which no server sees or logs,
 * waits in this tab for the sign-in, and is then redeemed once, by the session of that very Discord account.
 */
const KEY = 'satchel.upload_intent';

/** The token from Discord's button or, once redeemed, the intent's content and its person. */
export type KeptIntent = { readonly token: string } | { readonly asked: RedeemIntentOutput; readonly userId: string };

const INTENT = /^intent=/;

/** The intent in a fragment, with or without `#`; null if there is none. */
export function intentIn(hash: string): string | null {
  const part = fragmentText(hash)
    .split('&')
    .find((each) => INTENT.test(each));
  return part === undefined ? null : part.replace(INTENT, '');
}

/** For browsers without page storage: the intent then lasts as long as this page. */
let inMemory: KeptIntent | null = null;

/** Keeps the intent for this tab; replaces an earlier one. */
export function keepIntent(intent: KeptIntent): KeptIntent {
  inMemory = intent;
  tabStorage.set(KEY, JSON.stringify(intent));
  return intent;
}

const isIntent = (kept: Partial<{ token: unknown; asked: unknown }> | null): boolean =>
  typeof kept?.token === 'string' || (typeof kept?.asked === 'object' && kept.asked !== null);

/** The intent that this tab keeps, or null. */
export function keptIntent(): KeptIntent | null {
  const kept = tabStorage.json(KEY) as KeptIntent | null;
  return isIntent(kept) ? kept : inMemory;
}

export function deleteIntent(): void {
  inMemory = null;
  tabStorage.delete(KEY);
}

/** The running request, shared by concurrent callers: a token is redeemed once. */
let asking: { readonly token: string; readonly answer: Promise<RedeemIntentOutput> } | null = null;

/**
 * Redeems a token.
 * @throws AppError intent.invalid, intent.foreign, request.invalid for a truncated token, auth.required; other errors
 * of the server, or that it can't be reached
 */
export function redeemIntent(send: typeof sendJson, token: string): Promise<RedeemIntentOutput> {
  if (asking?.token === token) return asking.answer;
  const input = { intent: token };
  const answer = send<RedeemIntentOutput>('POST', PATHS.redeemIntent, input, { isRepeatable: true }).finally(() => {
    if (asking?.answer === answer) asking = null;
  });
  asking = { token, answer };
  return answer;
}

/** Initial form values: the command's values override the address's. */
export function prefillOf(
  { folder_name, lifetime_hours, link_mode }: RedeemIntentOutput,
  address: Prefill,
  maxHours: number,
): Prefill {
  return {
    ...address,
    ...(folder_name === null ? {} : { name: folder_name }),
    ...(lifetime_hours === null ? {} : { lifetimeHours: Math.min(lifetime_hours, maxHours) }),
    linkMode: link_mode,
  };
}

/** State of an intent. */
export type UploadIntent =
  | { readonly step: 'none' }
  /** Waits for the sign-in or for the server's answer. */
  | { readonly step: 'waiting' }
  | { readonly step: 'asked'; readonly asked: RedeemIntentOutput }
  /** Expired or used: the form works without it. */
  | { readonly step: 'over'; readonly error: AppError }
  /** Made for another Discord account. */
  | { readonly step: 'foreign' }
  | { readonly step: 'stuck'; readonly error: AppError };

/** The intent and the state of its redemption. */
export function stepOf(kept: KeptIntent | null, failure: AppError | null, userId: string | null): UploadIntent {
  if (failure?.code === 'intent.foreign') return { step: 'foreign' };
  // The server refuses a truncated token by its form.
  if (failure?.code === 'intent.invalid' || failure?.code === 'request.invalid')
    return { step: 'over', error: failure };
  if (failure) return { step: 'stuck', error: failure };
  if (kept === null) return { step: 'none' };
  if (!('asked' in kept)) return { step: 'waiting' };
  return kept.userId === userId ? { step: 'asked', asked: kept.asked } : { step: 'none' };
}
