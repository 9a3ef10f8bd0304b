import { Trans, useLingui } from '@lingui/react/macro';
import { useLocation } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { useSession } from '../account/session/session.ts';
import { forgetCode, givenCode, keepCode } from '../features/device/kept-code.ts';
import { LetDeviceIn } from '../features/device/let-device-in.tsx';
import { useTitle } from '../lib/browser/hooks.ts';
import { lazyPart } from '../lib/texts/lazy-part.ts';
import { PageLoading } from '../ui/states/states.tsx';

const SignIn = lazyPart(() => import('../features/auth/sign-in.tsx'), 'SignIn', 'account');

function ForCode({ hash }: { hash: string }) {
  const { t } = useLingui();
  useTitle(t`Sign in a command line`);
  const session = useSession();
  const [code] = useState(() => givenCode(hash));
  useEffect(() => {
    if (session.state === 'out' && code !== null) keepCode(code);
    if (session.state === 'in') forgetCode();
  }, [session.state, code]);
  if (session.state === 'loading') return <PageLoading title={t`Loading...`} />;
  if (session.state === 'in') return <LetDeviceIn code={code} />;
  return (
    <div className="wrap grid min-h-[calc(100dvh-12rem)] place-items-center py-12">
      <div className="w-full max-w-[400px]">
        <Suspense fallback={<PageLoading title={t`Loading...`} />}>
          <SignIn title={t`Sign in to let a command line in`} returnTo="/device">
            <Trans>Then you see which program asks, and allow or refuse it.</Trans>
          </SignIn>
        </Suspense>
      </div>
    </div>
  );
}

/** /device: lets a command line into one's account (RFC 8628), by its code. */
export function DevicePage() {
  const hash = useLocation({ select: (location) => location.hash });
  return <ForCode key={hash} hash={hash} />;
}
