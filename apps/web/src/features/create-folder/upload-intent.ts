import type { RedeemIntentOutput } from '@satchel/contract/api';
import type { AppError } from '@satchel/contract/errors';
import { PATHS } from '@satchel/contract/paths';
import type { sendJson } from '../../lib/api.ts';
import { fragmentText } from '../../lib/link-parts.ts';
import type { Prefill } from './folder-draft.ts';

/**
 * What somebody asked for by /upload in Discord. It comes as a token in the fragment, which no server sees or logs, waits in
 * this tab for the sign-in, and is then redeemed once, by the session of that very Discord account.
 */
const KEY = 'satchel.upload_intent';

/** What Discord's button brought, or, once it has been redeemed, what it says and to whom. */
export type KeptIntent = { readonly token: string } | { readonly asked: RedeemIntentOutput; readonly userId: string };

const INTENT = /^intent=/;

/** The intent in a fragment, with or without its `#`; null where there is none. */
export function intentIn(hash: string): string | null {
  const part = fragmentText(hash)
    .split('&')
    .find((each) => INTENT.test(each));
  return part === undefined ? null : part.replace(INTENT, '');
}

/** For a browser that gives a page no storage: then it lasts for this page. */
let inMemory: KeptIntent | null = null;

/** Keeps it for this tab, in place of the one before. */
export function keepIntent(intent: KeptIntent): KeptIntent {
  inMemory = intent;
  try {
    sessionStorage.setItem(KEY, JSON.stringify(intent));
  } catch {
    // As said above.
  }
  return intent;
}

const isIntent = (kept: Partial<{ token: unknown; asked: unknown }> | null): boolean =>
  typeof kept?.token === 'string' || (typeof kept?.asked === 'object' && kept.asked !== null);

/** What this tab keeps, or null. */
export function keptIntent(): KeptIntent | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    return isIntent(kept) ? (kept as KeptIntent) : null;
  } catch {
    return inMemory;
  }
}

export function dropIntent(): void {
  inMemory = null;
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Then there is none.
  }
}

/** The answer to come, for whoever asks meanwhile: an intent is told once. */
let asking: { readonly token: string; readonly answer: Promise<RedeemIntentOutput> } | null = null;

/**
 * Asks what a token stands for.
 * @throws AppError intent.invalid, intent.foreign, request.invalid for one that was cut short, auth.required; what else the
 * server said, or that it can't be reached
 */
export function redeemIntent(send: typeof sendJson, token: string): Promise<RedeemIntentOutput> {
  if (asking?.token === token) return asking.answer;
  const answer = send<RedeemIntentOutput>('POST', PATHS.redeemIntent, { intent: token }).finally(() => {
    if (asking?.answer === answer) asking = null;
  });
  asking = { token, answer };
  return answer;
}

/** What the form starts with: what the command said goes before what the address says. */
export function prefillOf(
  { folder_name, lifetime_hours, link_mode }: RedeemIntentOutput,
  address: Prefill,
  maxHours: number,
): Prefill {
  return {
    ...address,
    ...(folder_name === null ? {} : { name: folder_name }),
    ...(lifetime_hours === null ? {} : { lifetimeHours: Math.min(lifetime_hours, maxHours) }),
    encrypt: link_mode !== 'plain',
    discordLink: false,
  };
}

/** Where an intent stands. */
export type UploadIntent =
  | { readonly step: 'none' }
  /** It waits for the sign-in, or for the server's answer. */
  | { readonly step: 'waiting' }
  | { readonly step: 'asked'; readonly asked: RedeemIntentOutput }
  /** No longer good: the form is there without it. */
  | { readonly step: 'over'; readonly error: AppError }
  /** Made for another Discord account. */
  | { readonly step: 'foreign' }
  | { readonly step: 'stuck'; readonly error: AppError };

/** What has become of it, and of asking what it stands for. */
export function stepOf(kept: KeptIntent | null, failure: AppError | null, userId: string | null): UploadIntent {
  if (failure?.code === 'intent.foreign') return { step: 'foreign' };
  // One that was cut short is refused by its form.
  if (failure?.code === 'intent.invalid' || failure?.code === 'request.invalid')
    return { step: 'over', error: failure };
  if (failure) return { step: 'stuck', error: failure };
  if (kept === null) return { step: 'none' };
  if (!('asked' in kept)) return { step: 'waiting' };
  return kept.userId === userId ? { step: 'asked', asked: kept.asked } : { step: 'none' };
}
