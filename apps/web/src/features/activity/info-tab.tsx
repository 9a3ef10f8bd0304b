import { Trans, useLingui } from '@lingui/react/macro';
import type { FolderAnalytics, FolderCompleteData } from '@satchel/contract/api';
import { toAppError } from '@satchel/contract/errors';
import type { Role } from '@satchel/contract/roles';
import type { ReactNode } from 'react';
import { useServerQuery } from '../../account/session/query-client.ts';
import type { FileItem } from '../../engine/files/file-model.ts';
import { rpc } from '../../lib/api/api.ts';
import { localDateTime } from '../../lib/figures/format.ts';
import { errorText } from '../../lib/texts/error-text.ts';
import { Dots, LinkButton } from '../../ui/base/button.tsx';
import { Card } from '../../ui/sections/card.tsx';
import { LoadFailed } from '../../ui/states/banner.tsx';
import { PanelNote } from '../../ui/states/panel-note.tsx';
import { ActivityOverTime } from './activity-over-time.tsx';
import { FolderContents } from './folder-contents.tsx';
import { RecentActivity } from './recent-activity.tsx';
import { StorageOverview } from './storage-overview.tsx';

const Figure = ({ name, count }: { name: ReactNode; count: number | undefined }) => {
  const { i18n } = useLingui();
  return (
    <div className="flex grow flex-col-reverse justify-end">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="display text-2xl tabular">{count === undefined ? '–' : i18n.number(count)}</dd>
    </div>
  );
};

const Moment = ({ name, moment }: { name: ReactNode; moment: string }) => (
  <div className="flex justify-between gap-4">
    <dt className="text-muted">{name}</dt>
    <dd className="text-right tabular">{localDateTime(moment)}</dd>
  </div>
);

interface FolderStatisticsProps {
  folder: FolderCompleteData;
  /** Undefined while they load, and after a failed request. */
  figures: FolderAnalytics | undefined;
}

/** Folder Statistics. */
const FolderStatistics = ({ folder, figures }: FolderStatisticsProps) => (
  <Card title={<Trans>Folder Statistics</Trans>} className="flex flex-col p-5">
    <dl className="mt-3 mb-4 flex flex-wrap gap-x-6 gap-y-3">
      <Figure name={<Trans>Total Views</Trans>} count={figures?.total_views} />
      <Figure name={<Trans>Total Downloads</Trans>} count={figures?.total_downloads} />
      <Figure name={<Trans>Unique Visitors</Trans>} count={figures?.unique_visitors} />
    </dl>
    <dl className="mt-auto grid gap-2 border-t border-line pt-4 text-sm">
      <Moment name={<Trans>Created</Trans>} moment={folder.folder_created_at} />
      <Moment name={<Trans>Expires</Trans>} moment={folder.folder_expires_at} />
    </dl>
  </Card>
);

interface InfoTabProps {
  folder: FolderCompleteData;
  role: Role;
  userId: string | null;
  /** Null while they are listed. */
  files: readonly FileItem[] | null;
  /** What the server can see of the folder. */
  sight: ReactNode;
}

/** A visible tab polls its figures; a hidden tab waits until it is visible again. */
const REFRESH_MS = 10_000;

/** The folder's figures, as far as the person may see them. */
const useAnalytics = (slug: string, userId: string) =>
  useServerQuery({
    queryKey: ['analytics', slug, userId],
    queryFn: ({ signal }) => rpc('get_folder_analytics', { folder_slug: slug }, { signal }),
    staleTime: 0,
    refetchInterval: REFRESH_MS,
  });

function Analytics({ folder, role, userId }: Omit<InfoTabProps, 'files' | 'sight'> & { userId: string }) {
  const { t } = useLingui();
  const { data: figures, error, isFetching, refetch } = useAnalytics(folder.folder_slug, userId);
  const failure = figures || isFetching ? null : error;
  return (
    <div className="grid grid-cols-1 gap-4">
      <div className="grid grid-cols-1 gap-4 md:grid-cols-2">
        <StorageOverview folder={folder} role={role} userId={userId} />
        <FolderStatistics folder={folder} figures={figures} />
      </div>
      {failure && (
        <LoadFailed onRetry={() => void refetch()}>
          <b className="block font-medium">
            <Trans>The folder’s activity could not be loaded.</Trans>
          </b>
          {errorText(toAppError(failure))}
        </LoadFailed>
      )}
      {!failure && !figures && (
        <div className="card grid min-h-72 place-items-center text-subtle">
          <Dots label={t`Loading activity`} />
        </div>
      )}
      {figures && (
        <>
          <ActivityOverTime activity={figures.activity} expiresAt={folder.folder_expires_at} role={role} />
          <RecentActivity visitors={figures.recent} role={role} />
        </>
      )}
    </div>
  );
}

/** The Info tab with real figures; for people who are not signed in, with what their browser knows. */
export function InfoTab(props: InfoTabProps) {
  const { t } = useLingui();
  const { role, userId, files, sight } = props;
  if (role !== 'public' && userId !== null) return <Analytics {...props} userId={userId} />;
  return (
    <div className="grid grid-cols-1 gap-4">
      <FolderContents files={files} />
      <PanelNote
        pose="closed"
        title={t`Sign up to see detailed analytics`}
        action={
          <LinkButton to="/auth" size="lg">
            <Trans>Get Started Free</Trans>
          </LinkButton>
        }
      >
        <Trans>Views, downloads and storage are shown to people who are signed in.</Trans>
      </PanelNote>
      <Card title={<Trans>What the server can see</Trans>}>{sight}</Card>
    </div>
  );
}
