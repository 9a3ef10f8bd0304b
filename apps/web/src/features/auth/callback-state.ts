import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { AppError } from '@satchel/contract/errors';

/** State of /auth/callback: processing, then a redirect or an error. */
export type CallbackStep =
  | 'started'
  | 'refused'
  | 'checking'
  | 'confirmed'
  | 'cleared'
  | 'leaving'
  | 'no_session'
  | 'broken';

export interface CallbackLine {
  readonly step: CallbackStep;
  /** Milliseconds since the page began. */
  readonly atMs: number;
}

export interface CallbackState {
  readonly lines: readonly CallbackLine[];
  readonly error: AppError | null;
}

export type CallbackEvent =
  | { readonly type: 'step'; readonly step: CallbackStep; readonly atMs: number }
  | { readonly type: 'failed'; readonly step: 'refused' | 'broken'; readonly error: AppError; readonly atMs: number };

/** The visible log. It names steps only, never a value. */
export const STEP_TEXT: Record<CallbackStep, MessageDescriptor> = {
  started: msg`Reading the answer to the sign-in`,
  refused: msg`The sign-in was not completed`,
  checking: msg`Checking the session`,
  confirmed: msg`Session confirmed`,
  cleared: msg`Address cleared`,
  leaving: msg`Taking you back`,
  no_session: msg`No session found, going to the sign-in`,
  broken: msg`The session could not be checked`,
};

export const CALLBACK_START: CallbackState = { lines: [], error: null };

export function nextCallback(state: CallbackState, event: CallbackEvent): CallbackState {
  // A second run (React mounts twice in development) starts a new log.
  const before = event.step === 'started' ? [] : state.lines;
  const lines = [...before, { step: event.step, atMs: event.atMs }];
  return event.type === 'failed' ? { lines, error: event.error } : { ...state, lines };
}

/** A fragment is untrusted: its error is shown as plain text, at most as long as the server's own messages. */
const MESSAGE_MAX = 300;

/**
 * The error that the server put after `#`, or null when there is none.
 * @param hash `location.hash`
 */
export function errorOfHash(hash: string): AppError | null {
  const answer = new URLSearchParams(hash.replace(/^#/, ''));
  const code = answer.get('error');
  if (code === null) return null;
  const description = answer.get('error_description') || code;
  if (description === 'access_denied') return new AppError('auth.cancelled');
  const message = description.replace(/\s+/g, ' ').trim().slice(0, MESSAGE_MAX);
  return new AppError('auth.failed', { message: message || 'unknown' });
}
