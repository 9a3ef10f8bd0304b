import { Trans, useLingui } from '@lingui/react/macro';
import { OPERATOR_REASON_MAX } from '@satchel/contract/limits';
import { useState } from 'react';
import { notify } from '../../../lib/base/toast.ts';
import { TextField } from '../../../ui/forms/field.tsx';
import { ActForm } from '../acts/act-form.tsx';
import { TakeBackDialog } from '../acts/take-back-dialog.tsx';
import { useAct } from '../acts/use-act.ts';
import { ban, banPages, unban } from '../operator-api.ts';
import { PagedList } from '../paged-list.tsx';
import { usePages } from '../use-pages.ts';
import { EntryRow } from './entry-row.tsx';

const EMPTY = { discordId: '', reason: '' };

function BanForm({ onDone }: { onDone: () => void }) {
  const { t } = useLingui();
  const [{ discordId, reason }, setDraft] = useState(EMPTY);
  const { busy, failure, run } = useAct();
  const submit = async () => {
    if (!(await run(() => ban({ discord_id: discordId.trim(), reason: reason.trim() })))) return;
    setDraft(EMPTY);
    notify(t`Account banned`);
    onDone();
  };
  return (
    <ActForm
      title={<Trans>Ban an account</Trans>}
      text={
        <Trans>
          It is signed out everywhere and can’t sign in again. Its folders stay until they expire; to take them down,
          too, ban from a report.
        </Trans>
      }
      action={<Trans>Ban</Trans>}
      tone="danger"
      busy={busy}
      failure={failure}
      onSubmit={() => void submit()}
    >
      <TextField
        label={t`Discord user ID`}
        required
        inputMode="numeric"
        pattern="\s*\d{1,20}\s*"
        value={discordId}
        onChange={(event) => setDraft({ discordId: event.target.value, reason })}
        autoComplete="off"
      />
      <TextField
        label={t`Reason`}
        hint={t`They read it when they try to sign in.`}
        required
        maxLength={OPERATOR_REASON_MAX}
        value={reason}
        onChange={(event) => setDraft({ discordId, reason: event.target.value })}
        autoComplete="off"
      />
    </ActForm>
  );
}

/** Accounts that can't sign in. */
export function BansSection() {
  const { t } = useLingui();
  const pages = usePages(banPages);
  const [unbanning, setUnbanning] = useState<string | null>(null);
  return (
    <div className="grid grid-cols-1 gap-4">
      <BanForm onDone={pages.reload} />
      <PagedList
        pages={pages}
        emptyTitle={t`Nobody is banned`}
        emptyText={<Trans>Accounts that can’t sign in are listed here.</Trans>}
      >
        {(bans) => (
          <ul className="card divide-y divide-line">
            {bans.map(({ discord_id: discordId, reason, created_at }) => (
              <EntryRow
                key={discordId}
                subject={discordId}
                detail={<span translate="no">{reason}</span>}
                createdAt={created_at}
                action={<Trans>Unban</Trans>}
                onAct={() => setUnbanning(discordId)}
              />
            ))}
          </ul>
        )}
      </PagedList>
      {unbanning !== null && (
        <TakeBackDialog
          title={t`Unban this account?`}
          description={<Trans>{unbanning} can sign in again. Folders that were taken down do not come back.</Trans>}
          yes={<Trans>Yes, Unban</Trans>}
          onClose={() => setUnbanning(null)}
          onConfirm={() => unban(unbanning)}
          onDone={() => {
            setUnbanning(null);
            notify(t`Account unbanned`);
            pages.reload();
          }}
        />
      )}
    </div>
  );
}
