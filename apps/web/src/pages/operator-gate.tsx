import { useLingui } from '@lingui/react/macro';
import { lazy, type ReactNode, Suspense } from 'react';
import { importWithTexts } from '../lib/import-with-texts.ts';
import { useOwnProfile } from '../lib/own-account.ts';
import { useSession } from '../lib/session.ts';
import { PageLoading } from '../ui/states.tsx';

const OperatorPage = lazy(async () => {
  const { OperatorPage } = await importWithTexts('operator', () => import('./operator.tsx'));
  return { default: OperatorPage };
});

function ForOperator({ userId, notFound }: { userId: string; notFound: ReactNode }) {
  const { t } = useLingui();
  const { data, isFetched } = useOwnProfile(userId);
  const waiting = <PageLoading title={t`Loading`} />;
  if (!isFetched) return waiting;
  return data?.is_operator ? (
    <Suspense fallback={waiting}>
      <OperatorPage />
    </Suspense>
  ) : (
    notFound
  );
}

/** The operator's page for operators; for everybody else it is none. What it shows and does is the server's to allow. */
export function OperatorGate({ notFound }: { notFound: ReactNode }) {
  const { t } = useLingui();
  const session = useSession();
  if (session.state === 'loading') return <PageLoading title={t`Loading`} />;
  return session.state === 'in' ? <ForOperator userId={session.user.id} notFound={notFound} /> : notFound;
}
