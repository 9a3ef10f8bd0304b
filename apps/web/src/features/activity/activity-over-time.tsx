import { Trans, useLingui } from '@lingui/react/macro';
import type { ActivityHour } from '@satchel/contract/api';
import type { Role } from '@satchel/contract/roles';
import { ChartColumn, Table2 } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { localDayTime } from '../../lib/figures/format.ts';
import { IconButton } from '../../ui/base/button.tsx';
import { ActivityChart } from './activity-chart.tsx';
import { type Columns, columnsOf, isQuiet } from './chart-model.ts';

interface KeyProps {
  className: string;
  children: ReactNode;
}

const Key = ({ className, children }: KeyProps) => (
  <span className="inline-flex items-center gap-1.5">
    <span className={`size-2.5 rounded-[3px] forced-color-adjust-none ${className}`} />
    {children}
  </span>
);

const Legend = () => (
  <p className="flex gap-4 text-xs text-muted">
    <Key className="bg-graph forced-colors:bg-[CanvasText]">
      <Trans>Views</Trans>
    </Key>
    <Key className="bg-info forced-colors:bg-[Highlight]">
      <Trans>Downloads</Trans>
    </Key>
  </p>
);

const Quiet = ({ isOwner }: { isOwner: boolean }) => (
  <div className="pointer-events-none absolute inset-0 grid place-items-center pb-6">
    <p className="max-w-xs rounded-control bg-surface px-4 py-3 text-center text-sm text-muted">
      <b className="block font-semibold text-ink">
        <Trans>No visits yet</Trans>
      </b>
      {isOwner ? (
        <Trans>They show up here once your link is opened by others. Your own don’t count.</Trans>
      ) : (
        <Trans>They show up here once the link is opened.</Trans>
      )}
    </p>
  </div>
);

const head = 'sticky top-0 bg-surface py-1.5 font-medium';

/** The chart's figures as a table. On phones the page scrolls, not an area in it. */
function ActivityTable({ columns }: { columns: Columns }) {
  const { t } = useLingui();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it
    <section tabIndex={0} aria-label={t`Activity table`} className="rounded-control sm:max-h-52 sm:overflow-y-auto">
      <table className="w-full text-left text-xs tabular">
        <thead className="text-muted">
          <tr>
            <th scope="col" className={head}>
              {columns.hoursEach === 1 ? <Trans>Hour</Trans> : <Trans>From</Trans>}
            </th>
            <th scope="col" className={head}>
              <Trans>Views</Trans>
            </th>
            <th scope="col" className={head}>
              <Trans>Downloads</Trans>
            </th>
          </tr>
        </thead>
        <tbody>
          {columns.past.map(({ startMs, views, downloads }) => (
            <tr key={startMs} className="border-t border-line">
              <th scope="row" className="py-1.5 font-normal">
                {localDayTime(startMs)}
              </th>
              <td>{views}</td>
              <td>{downloads}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface ActivityOverTimeProps {
  /** Every hour so far. */
  activity: readonly ActivityHour[];
  expiresAt: string;
  role: Role;
}

/** Views and downloads by the hour, as a chart or as a table. */
export function ActivityOverTime({ activity, expiresAt, role }: ActivityOverTimeProps) {
  const { t } = useLingui();
  const [isTable, setTable] = useState(false);
  const columns = useMemo(() => columnsOf(activity, expiresAt), [activity, expiresAt]);
  const Icon = isTable ? ChartColumn : Table2;
  return (
    <section aria-labelledby="activity-over-time" className="card p-5">
      <div className="mb-4 flex items-start gap-x-4">
        <div className="flex flex-1 flex-wrap items-center gap-x-5 gap-y-1 pt-0.5">
          <h2 id="activity-over-time" className="text-base font-semibold">
            <Trans>Activity over time</Trans>
          </h2>
          <Legend />
        </div>
        <IconButton size="sm" label={isTable ? t`Show chart` : t`Show table`} onClick={() => setTable(!isTable)}>
          <Icon size={17} strokeWidth={1.75} aria-hidden />
        </IconButton>
      </div>
      {isTable ? (
        <ActivityTable columns={columns} />
      ) : (
        <div className="relative">
          <ActivityChart columns={columns} />
          {isQuiet(columns) && <Quiet isOwner={role === 'owner'} />}
        </div>
      )}
    </section>
  );
}
