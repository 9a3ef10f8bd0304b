import { Trans, useLingui } from '@lingui/react/macro';
import { localDayTime } from '../../lib/figures/format.ts';
import type { Columns } from './chart-model.ts';

const head = 'sticky top-0 bg-surface py-1.5 font-medium';

/** The chart's figures as a table (DESIGN-UX §5). On phones the page scrolls, not an area in it (§3). */
export function ActivityTable({ columns }: { columns: Columns }) {
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
