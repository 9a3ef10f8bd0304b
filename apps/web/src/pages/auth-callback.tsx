import { Trans, useLingui } from '@lingui/react/macro';
import { useRouter } from '@tanstack/react-router';
import { slugOf, takeReturnPath } from '../account/sign-in/return-path.ts';
import { takeFragment } from '../engine/links/folder-link.ts';
import { type CallbackState, STEP_TEXT } from '../features/auth/callback-state.ts';
import { useCallback } from '../features/auth/use-callback.ts';
import { useTitle } from '../lib/browser/hooks.ts';
import { secondsText } from '../lib/figures/format.ts';
import { errorText } from '../lib/texts/error-text.ts';
import { Dots, LinkButton } from '../ui/base/button.tsx';
import { Mark } from '../ui/base/mark.tsx';
import { HomeButton, PageState } from '../ui/states/states.tsx';

/** The page where the sign-in began; for a folder with the fragment that this tab kept (CONTAINER §3). */
function returnAddress(): string {
  const path = takeReturnPath();
  const slug = slugOf(path);
  return slug ? `${path}${takeFragment(slug)}` : path;
}

/** The visible debug log (§2): a polite log region, so that screen readers read new lines. */
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

/** /auth/callback: texts, delays and errors of §2, §4, §9, with a server-side sign-in (DESIGN R10). */
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
        <CallbackLog {...state} />
      </div>
    </div>
  );
}
