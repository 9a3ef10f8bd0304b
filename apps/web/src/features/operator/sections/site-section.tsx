import { Trans, useLingui } from '@lingui/react/macro';
import type { SiteStatus } from '@satchel/contract/abuse';
import { type ReactNode, useState } from 'react';
import { useServerQuery } from '../../../account/session/query-client.ts';
import { notify } from '../../../lib/base/toast.ts';
import { bytes } from '../../../lib/figures/format.ts';
import { Button } from '../../../ui/base/button.tsx';
import { Card } from '../../../ui/sections/card.tsx';
import { LoadedPart } from '../../../ui/sections/loaded-part.tsx';
import { OperatorDialog } from '../acts/act-dialog.tsx';
import { closeSite, siteStatus } from '../operator-api.ts';

const Figure = ({ name, children }: { name: ReactNode; children: ReactNode }) => (
  <div className="flex items-baseline justify-between gap-3 py-1.5">
    <dt className="text-muted">{name}</dt>
    <dd className="text-right font-medium tabular">{children}</dd>
  </div>
);

function Figures({ status }: { status: SiteStatus }) {
  const { i18n } = useLingui();
  const count = (value: number) => i18n.number(value);
  const booked = bytes(status.booked_bytes);
  const limit = status.storage_bytes === null ? null : bytes(status.storage_bytes);
  const { disk } = status;
  const free = disk && bytes(disk.free_bytes, disk.size_bytes);
  const size = disk && bytes(disk.size_bytes);
  const kept = disk && bytes(disk.kept_free_bytes);
  return (
    <dl className="mt-3 text-sm">
      <Figure name={<Trans>Accounts</Trans>}>{count(status.profiles)}</Figure>
      <Figure name={<Trans>Live folders</Trans>}>{count(status.folders)}</Figure>
      <Figure name={<Trans>Files in them</Trans>}>{count(status.files)}</Figure>
      <Figure name={<Trans>Uploads under way</Trans>}>{count(status.open_uploads)}</Figure>
      <Figure name={<Trans>Storage of all accounts</Trans>}>
        {limit === null ? (
          <Trans>{booked}, no limit</Trans>
        ) : (
          <Trans>
            {booked} of {limit}
          </Trans>
        )}
      </Figure>
      {disk && (
        <Figure name={<Trans>Free on the disk</Trans>}>
          <Trans>
            {free} of {size}; uploads stop at {kept}
          </Trans>
        </Figure>
      )}
      <Figure name={<Trans>Stored files to be erased</Trans>}>{count(status.queued_blobs)}</Figure>
    </dl>
  );
}

/** The reason why no upload begins at the moment; null while they do. */
function StopNotice({ status: { disk, storage_bytes, booked_bytes } }: { status: SiteStatus }) {
  const isShort = disk !== null && disk.free_bytes < disk.kept_free_bytes;
  const isFull = storage_bytes !== null && booked_bytes >= storage_bytes;
  if (!isShort && !isFull) return null;
  return (
    <p role="alert" className="mt-3 text-sm text-danger">
      {isShort ? (
        <Trans>The disk is nearly full: no upload begins until space is free again.</Trans>
      ) : (
        <Trans>The storage of the site is used up: no upload begins until folders expire.</Trans>
      )}
    </p>
  );
}

/** Only what the settings name: a number of 0 would read as if something were still to be set. */
function Allowed({ guilds, accounts }: { guilds: number; accounts: number }) {
  if (guilds > 0 && accounts > 0) {
    return (
      <Trans>
        By the settings: members of certain Discord servers ({guilds}), and certain accounts ({accounts}).
      </Trans>
    );
  }
  if (guilds > 0) return <Trans>By the settings: members of certain Discord servers ({guilds}).</Trans>;
  if (accounts > 0) return <Trans>By the settings: certain accounts ({accounts}).</Trans>;
  return <Trans>Anyone with a Discord account.</Trans>;
}

function Admission({ status, onChanged }: { status: SiteStatus; onChanged: () => void }) {
  const { t } = useLingui();
  const [isAsked, setAsked] = useState(false);
  const isClosed = status.is_closed;
  const change = async () => {
    await closeSite(!isClosed);
    notify(() => (isClosed ? t`New accounts are let in again` : t`New accounts are paused`));
    onChanged();
  };
  return (
    <Card title={<Trans>Who may sign in</Trans>} className="p-5">
      <p className="mt-2 text-sm text-muted">
        <Allowed guilds={status.allowed_guilds} accounts={status.allowed_accounts} />
      </p>
      <div className="mt-4 flex flex-wrap items-center justify-between gap-3 border-t border-line pt-4">
        <p className="text-sm">
          {isClosed ? (
            <Trans>New accounts are paused: only people who have one sign in.</Trans>
          ) : (
            <Trans>New accounts are let in.</Trans>
          )}
        </p>
        <Button onClick={() => setAsked(true)}>
          {isClosed ? <Trans>Let new accounts in</Trans> : <Trans>Pause new accounts</Trans>}
        </Button>
      </div>
      {isAsked && (
        <OperatorDialog
          title={isClosed ? t`Let new accounts in?` : t`Pause new accounts?`}
          description={
            isClosed ? (
              <Trans>From now on a first sign-in makes an account again.</Trans>
            ) : (
              <Trans>
                People without an account are told so at sign-in. Existing accounts and open links stay as they are.
              </Trans>
            )
          }
          yes={isClosed ? <Trans>Yes, let them in</Trans> : <Trans>Yes, pause</Trans>}
          onClose={() => setAsked(false)}
          onConfirm={change}
        />
      )}
    </Card>
  );
}

/** The site as a whole: what it holds, its limits, and whether it takes new accounts. */
export function SiteSection() {
  const { t } = useLingui();
  const query = useServerQuery({ queryKey: ['operator', 'site'], queryFn: ({ signal }) => siteStatus(signal) });
  return (
    <LoadedPart query={query} loading={t`Loading the figures of the site`}>
      {(status) => (
        <div className="grid grid-cols-1 gap-4">
          <Card title={<Trans>What it holds</Trans>} className="p-5">
            <StopNotice status={status} />
            <Figures status={status} />
          </Card>
          <Admission status={status} onChanged={() => void query.refetch()} />
        </div>
      )}
    </LoadedPart>
  );
}
