import { Trans, useLingui } from '@lingui/react/macro';
import { type AppError, toAppError } from '@satchel/contract/errors';
import { Check, X } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { loadSession } from '../../account/session/session.ts';
import { rememberReturnPath } from '../../account/sign-in/return-path.ts';
import { startSignIn } from '../../account/sign-in/start-sign-in.ts';
import { announce } from '../../lib/base/announce.ts';
import { settings } from '../../lib/base/settings.ts';
import { errorText } from '../../lib/texts/error-text.ts';
import { Button, Dots } from '../../ui/base/button.tsx';
import { DiscordMark } from '../../ui/base/discord-mark.tsx';
import { SignInCard } from './sign-in-card.tsx';

type Step = { name: 'idle' } | { name: 'connecting' } | { name: 'failed'; error: AppError };

/** Idle, connecting or an error message; the next page is Discord's own. */
function useSignIn(returnTo: string | undefined) {
  const [step, setStep] = useState<Step>({ name: 'idle' });
  useEffect(() => {
    // The browser's Back may restore this page while it still says "connecting".
    const reset = (event: PageTransitionEvent) => event.persisted && setStep({ name: 'idle' });
    addEventListener('pageshow', reset);
    return () => removeEventListener('pageshow', reset);
  }, []);
  const start = async () => {
    setStep({ name: 'connecting' });
    try {
      const session = await loadSession();
      if (session.state === 'in') return;
      if (returnTo !== undefined) rememberReturnPath(returnTo);
      await startSignIn();
    } catch (cause) {
      const error = toAppError(cause);
      announce(errorText(error), true);
      setStep({ name: 'failed', error });
    }
  };
  return { step, start };
}

const Promises = () => (
  <ul className="mt-6 grid gap-2 border-t border-line pt-5 text-left text-xs text-muted">
    <li className="flex gap-2.5">
      <Check size={15} className="mt-px shrink-0 text-success" aria-hidden />
      <Trans>We read your name, avatar and e-mail.</Trans>
    </li>
    <li className="flex gap-2.5">
      <X size={15} className="mt-px shrink-0 text-subtle" aria-hidden />
      {settings.admits === 'members' ? (
        <Trans>We can’t read your messages or friends.</Trans>
      ) : (
        <Trans>We can’t read your messages, friends or servers.</Trans>
      )}
    </li>
  </ul>
);

interface SignInProps {
  title?: string;
  /** The page to come back to, where the sign-in is not on its own page. */
  returnTo?: string;
  children?: ReactNode;
}

/** The way in through Discord, on /auth and on a page that needs it. */
export function SignIn({ title, returnTo, children }: SignInProps) {
  const { t } = useLingui();
  const { step, start } = useSignIn(returnTo);
  const connecting = step.name === 'connecting';
  return (
    <SignInCard title={title ?? t`Sign in to Satchel`}>
      <p className="mt-2 text-sm text-muted">{children ?? <Trans>One account, and you already have it.</Trans>}</p>
      {settings.admits !== 'anyone' && (
        <p className="mt-2 text-sm text-muted">
          {settings.admits === 'members' ? (
            <Trans>
              This site is for members of certain Discord servers. Discord tells us which servers you are in.
            </Trans>
          ) : (
            <Trans>Only certain Discord accounts can sign in here.</Trans>
          )}
        </p>
      )}
      <Button
        tone="discord"
        size="xl"
        busy={connecting}
        aria-disabled={connecting}
        className="mt-7 w-full"
        onClick={() => !connecting && void start()}
      >
        <DiscordMark />
        {connecting ? t`Connecting...` : t`Continue with Discord`}
        {connecting && <Dots label="" />}
      </Button>
      {step.name === 'failed' && <p className="mt-4 text-sm text-danger">{errorText(step.error)}</p>}
      <Promises />
    </SignInCard>
  );
}
