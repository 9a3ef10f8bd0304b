import { Trans, useLingui } from '@lingui/react/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { AppError } from '@satchel/contract/errors';
import type { Role } from '@satchel/contract/roles';
import { Link } from '@tanstack/react-router';
import { CircleAlert } from 'lucide-react';
import { errorText } from '../../lib/texts/error-text.ts';
import { Button, Dots } from '../../ui/base/button.tsx';
import { Banner } from '../../ui/states/banner.tsx';
import { PanelState } from '../../ui/states/states.tsx';
import { ActivityOverTime } from './activity-over-time.tsx';
import { FolderStatistics } from './folder-statistics.tsx';
import { RecentActivity } from './recent-activity.tsx';
import { StorageOverview } from './storage-overview.tsx';
import { useAnalytics } from './use-analytics.ts';

interface InfoTabProps {
  folder: FolderCompleteData;
  role: Role;
  userId: string | null;
  /** The database's clock minus this device's, in milliseconds. */
  clockOffsetMs: number;
}

const SignUp = () => {
  const { t } = useLingui();
  return (
    <PanelState
      pose="closed"
      title={t`Sign up to see detailed analytics`}
      action={
        <Button asChild tone="primary" size="lg">
          <Link to="/auth">
            <Trans>Get Started Free</Trans>
          </Link>
        </Button>
      }
    >
      <Trans>Views, downloads and storage are shown to people who are signed in.</Trans>
    </PanelState>
  );
};

const Loading = () => {
  const { t } = useLingui();
  return (
    <div className="card grid min-h-72 place-items-center text-subtle">
      <Dots label={t`Loading activity`} />
    </div>
  );
};

const Failed = ({ error, onRetry }: { error: AppError; onRetry: () => void }) => (
  <div role="alert">
    <Banner
      tone="danger"
      icon={<CircleAlert size={18} aria-hidden className="text-danger" />}
      action={
        <Button onClick={onRetry}>
          <Trans>Try Again</Trans>
        </Button>
      }
    >
      <b className="block font-medium">
        <Trans>The folder’s activity could not be loaded.</Trans>
      </b>
      {errorText(error)}
    </Banner>
  </div>
);

function Analytics({ folder, role, userId, clockOffsetMs }: InfoTabProps & { userId: string }) {
  const { figures, error, retry } = useAnalytics(folder.folder_slug, userId);
  return (
    <div className="grid grid-cols-1 gap-4">
      <div className="grid grid-cols-1 gap-4 md:grid-cols-2">
        <StorageOverview folder={folder} role={role} userId={userId} />
        <FolderStatistics folder={folder} figures={figures} />
      </div>
      {error && <Failed error={error} onRetry={retry} />}
      {!error && !figures && <Loading />}
      {figures && (
        <>
          <ActivityOverTime activity={figures.activity} expiresAt={folder.folder_expires_at} role={role} />
          <RecentActivity visitors={figures.recent} role={role} clockOffsetMs={clockOffsetMs} />
        </>
      )}
    </div>
  );
}

/** The Info tab (§2) with real figures (DESIGN R7). */
export function InfoTab(props: InfoTabProps) {
  const { role, userId } = props;
  return role === 'public' || userId === null ? <SignUp /> : <Analytics {...props} userId={userId} />;
}
