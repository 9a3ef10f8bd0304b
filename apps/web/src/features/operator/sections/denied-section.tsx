import { Trans, useLingui } from '@lingui/react/macro';
import { OPERATOR_REASON_MAX } from '@satchel/contract/limits';
import { useState } from 'react';
import { notify } from '../../../lib/base/toast.ts';
import { bytes } from '../../../lib/figures/format.ts';
import { TextField } from '../../../ui/forms/field.tsx';
import { ActForm } from '../acts/act-form.tsx';
import { TakeBackDialog } from '../acts/take-back-dialog.tsx';
import { useAct } from '../acts/use-act.ts';
import { allowFile, deniedPages, denyFile } from '../operator-api.ts';
import { PagedList } from '../paged-list.tsx';
import { usePages } from '../use-pages.ts';
import { EntryRow } from './entry-row.tsx';

const EMPTY = { sha256: '', sizeBytes: '', reason: '' };
type Draft = typeof EMPTY;

function useDenial(onDone: () => void) {
  const { t } = useLingui();
  const [draft, setDraft] = useState<Draft>(EMPTY);
  const act = useAct();
  const submit = async () => {
    const { sha256, sizeBytes, reason } = draft;
    const denied = { sha256: sha256.trim().toLowerCase(), size_bytes: Number(sizeBytes), reason: reason.trim() };
    if (!(await act.run(() => denyFile(denied)))) return;
    setDraft(EMPTY);
    notify(t`File denied`);
    onDone();
  };
  const field = (name: keyof Draft) => ({
    required: true,
    value: draft[name],
    onChange: (event: { target: { value: string } }) => setDraft({ ...draft, [name]: event.target.value }),
    autoComplete: 'off',
  });
  return { ...act, field, submit: () => void submit() };
}

function DenyForm({ onDone }: { onDone: () => void }) {
  const { t } = useLingui();
  const { busy, failure, field, submit } = useDenial(onDone);
  return (
    <ActForm
      title={<Trans>Deny a file</Trans>}
      text={
        <Trans>
          Bytes with this hash and size are refused when they are uploaded. In an encrypted folder they are the
          encrypted bytes, so that the same file encrypted with another key passes.
        </Trans>
      }
      action={<Trans>Deny</Trans>}
      tone="danger"
      busy={busy}
      failure={failure}
      onSubmit={submit}
    >
      <TextField
        label={t`SHA-256 of the stored bytes`}
        className="sm:col-span-2"
        pattern="\s*[0-9a-fA-F]{64}\s*"
        spellCheck={false}
        {...field('sha256')}
      />
      <TextField label={t`Size in bytes`} type="number" min={1} step={1} {...field('sizeBytes')} />
      <TextField label={t`Reason`} maxLength={OPERATOR_REASON_MAX} {...field('reason')} />
    </ActForm>
  );
}

/** Hashes of files that the server refuses to store again. */
export function DeniedSection() {
  const { t } = useLingui();
  const pages = usePages(deniedPages);
  const [removing, setRemoving] = useState<string | null>(null);
  return (
    <div className="grid grid-cols-1 gap-4">
      <DenyForm onDone={pages.reload} />
      <PagedList
        pages={pages}
        emptyTitle={t`No file is denied`}
        emptyText={<Trans>Files that can’t be uploaded again are listed here by their hash.</Trans>}
      >
        {(denied) => (
          <ul className="card divide-y divide-line">
            {denied.map(({ sha256, size_bytes: sizeBytes, reason, created_at }) => (
              <EntryRow
                key={sha256}
                subject={sha256}
                detail={
                  <>
                    {bytes(sizeBytes)} · <span translate="no">{reason}</span>
                  </>
                }
                createdAt={created_at}
                action={<Trans>Remove</Trans>}
                onAct={() => setRemoving(sha256)}
              />
            ))}
          </ul>
        )}
      </PagedList>
      {removing !== null && (
        <TakeBackDialog
          title={t`Allow this file again?`}
          description={<Trans>Whoever has it can upload it again.</Trans>}
          yes={<Trans>Yes, Allow</Trans>}
          onClose={() => setRemoving(null)}
          onConfirm={() => allowFile(removing)}
          onDone={() => {
            setRemoving(null);
            notify(t`File allowed again`);
            pages.reload();
          }}
        />
      )}
    </div>
  );
}
