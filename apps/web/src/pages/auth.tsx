import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { useSession } from '../account/session/session.ts';
import { AlreadySignedIn } from '../features/auth/already-signed-in.tsx';
import { SignIn } from '../features/auth/sign-in.tsx';
import { useTitle } from '../lib/browser/hooks.ts';

/** /auth, sign-in and sign-up in one (§2). */
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
