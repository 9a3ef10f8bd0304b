import { Trans, useLingui } from '@lingui/react/macro';
import type { User } from '@satchel/contract/entities';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { displayUser } from '../../account/session/session-state.ts';
import { leave } from '../../account/sign-out/sign-out.ts';
import { Button, LinkButton } from '../../ui/base/button.tsx';
import { SignInCard } from './sign-in-card.tsx';

/** Long enough to read the card and to reach Sign Out. */
const REDIRECT_MS = 2500;

/** For a person who is signed in already: redirects home (§2) unless one of the card's buttons has the focus. */
export function AlreadySignedIn({ user }: { user: User }) {
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
