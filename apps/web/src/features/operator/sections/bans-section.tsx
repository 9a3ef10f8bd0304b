import { Trans, useLingui } from '@lingui/react/macro';
import { OPERATOR_REASON_MAX } from '@satchel/contract/limits';
import { TextField } from '../../../ui/forms/field.tsx';
import { ActForm, useActForm } from '../acts/act-form.tsx';
import { ban, banPages, unban } from '../operator-api.ts';
import { usePages } from '../use-pages.ts';
import { UndoList } from './undo-list.tsx';

const EMPTY = { discord_id: '', reason: '' };

function BanForm({ onDone }: { onDone: () => void }) {
  const { t } = useLingui();
  const { field, form } = useActForm({ empty: EMPTY, act: ban, done: () => t`Account banned`, onDone });
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
      form={form}
    >
      <TextField label={t`Discord user ID`} inputMode="numeric" pattern="\s*\d{1,20}\s*" {...field('discord_id')} />
      <TextField
        label={t`Reason`}
        hint={t`They read it when they try to sign in.`}
        maxLength={OPERATOR_REASON_MAX}
        {...field('reason')}
      />
    </ActForm>
  );
}

/** Accounts that can't sign in. */
export function BansSection() {
  const { t } = useLingui();
  const pages = usePages(banPages);
  const question = {
    title: t`Unban this account?`,
    text: (unbanning: string) => (
      <Trans>{unbanning} can sign in again. Folders that were taken down do not come back.</Trans>
    ),
    yes: <Trans>Yes, Unban</Trans>,
  };
  return (
    <div className="grid grid-cols-1 gap-4">
      <BanForm onDone={pages.reload} />
      <UndoList
        pages={pages}
        emptyTitle={t`No account is banned`}
        emptyText={<Trans>Accounts that can’t sign in are listed here.</Trans>}
        entryOf={({ discord_id: subject, reason, created_at: createdAt }) => ({
          subject,
          detail: <span translate="no">{reason}</span>,
          createdAt,
        })}
        action={<Trans>Unban</Trans>}
        question={question}
        undo={unban}
        undone={() => t`Account unbanned`}
        onUndone={pages.reload}
      />
    </div>
  );
}
