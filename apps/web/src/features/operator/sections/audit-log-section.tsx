import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import type { OperatorAct } from '@satchel/contract/abuse';
import { localDateTime } from '../../../lib/figures/format.ts';
import { actPages } from '../operator-api.ts';
import { PagedList } from '../paged-list.tsx';
import { usePages } from '../use-pages.ts';

const ACTS: Readonly<Record<OperatorAct['act'], MessageDescriptor>> = {
  dismiss: msg`Dismissed a report`,
  take_down: msg`Took a folder down`,
  ban: msg`Banned an account`,
  unban: msg`Unbanned an account`,
  deny: msg`Denied a file`,
  allow: msg`Allowed a file again`,
  tier: msg`Gave an account a tier`,
  add_key: msg`Added a key`,
  remove_key: msg`Removed a key`,
  close: msg`Paused new accounts`,
  reopen: msg`Let new accounts in`,
};

function ActRow({ act }: { act: OperatorAct }) {
  const { t } = useLingui();
  const by = act.operator_discord_id;
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-3.5 text-sm sm:px-5">
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-medium">{t(ACTS[act.act])}</p>
        <p translate="no" className="mt-0.5 font-mono text-xs text-muted wrap-anywhere">
          {act.target}
        </p>
        {act.detail && (
          <p translate="no" className="mt-0.5 text-muted wrap-anywhere">
            {act.detail}
          </p>
        )}
      </div>
      <p className="text-xs text-subtle tabular">
        <Trans>
          {localDateTime(act.at)}, by {by}
        </Trans>
      </p>
    </li>
  );
}

/** The operators' actions; the log can't be changed. */
export function ActsSection() {
  const { t } = useLingui();
  const pages = usePages(actPages);
  return (
    <PagedList
      pages={pages}
      emptyTitle={t`Nothing done yet`}
      emptyText={<Trans>The log keeps what each operator does, for all operators to see.</Trans>}
    >
      {(acts) => (
        <ul className="card divide-y divide-line">
          {acts.map((act) => (
            <ActRow key={act.id} act={act} />
          ))}
        </ul>
      )}
    </PagedList>
  );
}
