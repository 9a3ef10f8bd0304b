import { useLingui } from '@lingui/react/macro';
import { type ReactNode, Suspense } from 'react';
import { useOwnProfile } from '../account/own-data/own-account.ts';
import { useSession } from '../account/session/session.ts';
import { lazyPart } from '../lib/texts/lazy-part.ts';
import { PageLoading } from '../ui/states/states.tsx';

const OperatorPage = lazyPart(() => import('./operator.tsx'), 'OperatorPage', 'operator');

function ForOperator({ userId, notFound }: { userId: string; notFound: ReactNode }) {
  const { t } = useLingui();
  const { data, isFetched } = useOwnProfile(userId);
  const waiting = <PageLoading title={t`Loading`} />;
  if (!isFetched) return waiting;
  return data?.is_operator ? (
    <Suspense fallback={waiting}>
      <OperatorPage program={data.program} />
    </Suspense>
  ) : (
    notFound
  );
}

/** The operator's page; for everyone else, not found. The server decides what an operator may see and do. */
export function OperatorGate({ notFound }: { notFound: ReactNode }) {
  const { t } = useLingui();
  const session = useSession();
  if (session.state === 'loading') return <PageLoading title={t`Loading`} />;
  return session.state === 'in' ? <ForOperator userId={session.user.id} notFound={notFound} /> : notFound;
}
