import { Trans, useLingui } from '@lingui/react/macro';
import type { FolderAnalytics, FolderCompleteData } from '@satchel/contract/api';
import type { ReactNode } from 'react';
import { localDateTime } from '../../lib/figures/format.ts';
import { Card } from '../../ui/sections/card.tsx';

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

/** Folder Statistics (§2 "Info tab"). */
export const FolderStatistics = ({ folder, figures }: FolderStatisticsProps) => (
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
