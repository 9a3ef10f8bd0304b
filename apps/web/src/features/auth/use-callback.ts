import { AppError, toAppError } from '@satchel/contract/errors';
import { CALLBACK_DELAY_MS, CALLBACK_NO_SESSION_MS, CALLBACK_SUCCESS_MS } from '@satchel/contract/limits';
import { useEffect, useEffectEvent, useReducer } from 'react';
import { loadSession, tellOtherTabs } from '../../account/session/session.ts';
import { pause } from '../../lib/browser/pause.ts';
import { errorText } from '../../lib/texts/error-text.ts';
import { CALLBACK_START, type CallbackStep, errorOfHash, nextCallback } from './callback-state.ts';

const clearHash = () => history.replaceState(history.state, '', `${location.pathname}${location.search}`);

interface Exits {
  /** Signed in: return to the page where the sign-in began. */
  onSignedIn: () => void;
  /** No session: go to the sign-in. */
  onNoSession: () => void;
}

/** Runs the steps of /auth/callback once, with the delays of §9. */
export function useCallback({ onSignedIn, onNoSession }: Exits) {
  const [state, dispatch] = useReducer(nextCallback, CALLBACK_START);
  const run = useEffectEvent(async (signal: AbortSignal, startMs: number) => {
    const atMs = () => performance.now() - startMs;
    const log = (step: CallbackStep) => dispatch({ type: 'step', step, atMs: atMs() });
    log('started');
    await pause(CALLBACK_DELAY_MS, signal);
    const refusal = errorOfHash(location.hash);
    if (location.hash) {
      clearHash();
      log('cleared');
    }
    if (refusal) return dispatch({ type: 'failed', step: 'refused', error: refusal, atMs: atMs() });
    log('checking');
    const session = await loadSession();
    signal.throwIfAborted();
    if (session.state !== 'in') {
      log('no_session');
      await pause(CALLBACK_NO_SESSION_MS, signal);
      return onNoSession();
    }
    tellOtherTabs();
    log('confirmed');
    log('leaving');
    await pause(CALLBACK_SUCCESS_MS, signal);
    onSignedIn();
  });
  const fail = useEffectEvent((cause: Error, startMs: number) => {
    const error = new AppError('auth.unexpected', { message: errorText(toAppError(cause)) }, { cause });
    dispatch({ type: 'failed', step: 'broken', error, atMs: performance.now() - startMs });
  });
  useEffect(() => {
    const controller = new AbortController();
    const startMs = performance.now();
    run(controller.signal, startMs).catch((error: Error) => {
      if (!controller.signal.aborted) fail(error, startMs);
    });
    return () => controller.abort();
  }, []);
  return state;
}
