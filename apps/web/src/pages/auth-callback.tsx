import { Trans, useLingui } from '@lingui/react/macro';
import { pause } from '@satchel/client/pause';
import { AppError, toAppError } from '@satchel/contract/errors';
import { CALLBACK_DELAY_MS, CALLBACK_NO_SESSION_MS, CALLBACK_SUCCESS_MS } from '@satchel/contract/limits';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useReducer } from 'react';
import { loadSession, tellOtherTabs } from '../account/session/session.ts';
import { slugOf, takeReturnPath } from '../account/sign-in/return-path.ts';
import { takeFragment } from '../engine/keys/kept-fragment.ts';
import {
  CALLBACK_START,
  type CallbackState,
  type CallbackStep,
  errorOfHash,
  nextCallback,
  STEP_TEXT,
} from '../features/auth/callback-state.ts';
import { useTitle } from '../lib/browser/hooks.ts';
import { secondsText } from '../lib/figures/format.ts';
import { errorText } from '../lib/texts/error-text.ts';
import { Dots, LinkButton } from '../ui/base/button.tsx';
import { Mark } from '../ui/base/mark.tsx';
import { HomeButton, PageState } from '../ui/states/states.tsx';

/** The page where the sign-in began; for a folder with the fragment that this tab kept (docs/container.md §3). */
function returnAddress(): string {
  const path = takeReturnPath();
  const slug = slugOf(path);
  return slug ? `${path}${takeFragment(slug)}` : path;
}

const clearHash = () => history.replaceState(history.state, '', `${location.pathname}${location.search}`);

interface Exits {
  /** Signed in: return to the page where the sign-in began. */
  onSignedIn: () => void;
  /** No session: go to the sign-in. */
  onNoSession: () => void;
}

/** Runs the steps of /auth/callback once, with their delays. */
function useCallback({ onSignedIn, onNoSession }: Exits) {
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

/** The line of the debug log that is being done: nobody has to read the earlier ones while all goes well. */
function CallbackNow({ lines }: Pick<CallbackState, 'lines'>) {
  const { t } = useLingui();
  const last = lines.at(-1);
  return (
    <p role="log" aria-label={t`Sign-in log`} className="mt-3 min-h-5 text-xs text-subtle">
      {last && t(STEP_TEXT[last.step])}
    </p>
  );
}

/** The whole debug log, where something failed. */
function CallbackLog({ lines, error }: CallbackState) {
  const { t } = useLingui();
  return (
    <div
      role="log"
      aria-label={t`Sign-in log`}
      className="mt-6 rounded-control bg-sunken p-4 text-left font-mono text-xs text-muted"
    >
      <ol className="grid gap-1">
        {lines.map(({ step, atMs }, position) => {
          const last = position === lines.length - 1;
          return (
            <li key={step} className={last && error ? 'flex gap-3 text-danger' : 'flex gap-3'}>
              <span className="tabular">+{secondsText(atMs)}</span>
              <span className={last && !error ? 'text-ink' : ''}>{t(STEP_TEXT[step])}</span>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

/** /auth/callback: its texts, delays and errors, with a server-side sign-in. */
export function AuthCallbackPage() {
  const { t } = useLingui();
  const { history } = useRouter();
  const state = useCallback({
    onSignedIn: () => history.replace(returnAddress()),
    onNoSession: () => history.replace('/auth'),
  });
  useTitle(state.error ? t`Authentication Error` : t`Signing in`);
  if (state.error) {
    return (
      <PageState
        pose="error"
        title={t`Authentication Error`}
        actions={
          <>
            <LinkButton to="/auth" tone="primary" size="lg">
              <Trans>Try Again</Trans>
            </LinkButton>
            <HomeButton tone="quiet" />
          </>
        }
      >
        <p role="alert">{errorText(state.error)}</p>
        <CallbackLog {...state} />
      </PageState>
    );
  }
  return (
    <div className="wrap grid min-h-[calc(100dvh-12rem)] place-items-center py-12">
      <div className="w-full max-w-md text-center">
        <Mark sizePx={56} className="mx-auto" />
        <h1 className="display mt-5 text-2xl">
          <Trans>Processing Sign In...</Trans>
        </h1>
        <div className="mt-3 flex justify-center text-subtle">
          <Dots label={t`Processing`} />
        </div>
        <CallbackNow lines={state.lines} />
      </div>
    </div>
  );
}
