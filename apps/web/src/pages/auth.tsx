import { Trans, useLingui } from '@lingui/react/macro';
import type { User } from '@satchel/contract/entities';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useSession } from '../account/session/session.ts';
import { displayUser } from '../account/session/session-state.ts';
import { leave } from '../account/sign-out/sign-out.ts';
import { SignIn } from '../features/auth/sign-in.tsx';
import { SignInCard } from '../features/auth/sign-in-card.tsx';
import { useTitle } from '../lib/browser/hooks.ts';
import { Button, LinkButton } from '../ui/base/button.tsx';

/** Long enough to read the card and to reach Sign Out. */
const REDIRECT_MS = 2500;

/** For a person who is signed in already: redirects home unless one of the card's buttons has the focus. */
function AlreadySignedIn({ user }: { user: User }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const [busyHere, setBusyHere] = useState(false);
  useEffect(() => {
    if (busyHere) return;
    const timer = setTimeout(() => void navigate({ to: '/', replace: true }), REDIRECT_MS);
    return () => clearTimeout(timer);
  }, [busyHere, navigate]);
  const stay = { onFocus: () => setBusyHere(true), onBlur: () => setBusyHere(false) };
  const { email } = user;
  const name = displayUser(user);
  return (
    <SignInCard title={t`Already Signed In`}>
      <p className="mt-2 text-sm text-muted wrap-anywhere">
        {email && email !== name ? t`Welcome, ${name} (${email})` : t`Welcome, ${name}`}
      </p>
      <div className="mt-7 grid gap-2.5">
        <LinkButton to="/" {...stay} tone="primary" size="lg">
          <Trans>Go to Home</Trans>
        </LinkButton>
        <Button size="lg" {...stay} onClick={() => void leave()}>
          <Trans>Sign Out</Trans>
        </Button>
      </div>
    </SignInCard>
  );
}

/** /auth, sign-in and sign-up in one. */
export function AuthPage() {
  const { t } = useLingui();
  const session = useSession();
  useTitle(session.state === 'in' ? t`Already Signed In` : t`Sign In`);
  return (
    <div className="wrap grid min-h-[calc(100dvh-3.5rem-1px)] place-items-center py-12">
      <div className="w-full max-w-[400px]">
        {session.state === 'in' ? <AlreadySignedIn user={session.user} /> : <SignIn />}
        <p className="mt-5 text-center">
          <Link to="/" className="tap rounded-chip text-sm text-muted hover:text-ink">
            <Trans>Back to Home</Trans>
          </Link>
        </p>
      </div>
    </div>
  );
}
