import { Trans, useLingui } from '@lingui/react/macro';
import type { DeniedBlob } from '@satchel/contract/abuse';
import { OPERATOR_REASON_MAX } from '@satchel/contract/limits';
import { bytes } from '../../../lib/figures/format.ts';
import { TextField } from '../../../ui/forms/field.tsx';
import { ActForm, useActForm } from '../acts/act-form.tsx';
import { allowFile, deniedPages, denyFile } from '../operator-api.ts';
import { usePages } from '../use-pages.ts';
import { UndoList } from './undo-list.tsx';

const EMPTY = { sha256: '', sizeBytes: '', reason: '' };

function DenyForm({ onDone }: { onDone: () => void }) {
  const { t } = useLingui();
  const { field, form } = useActForm({
    empty: EMPTY,
    act: ({ sha256, sizeBytes, reason }) =>
      denyFile({ sha256: sha256.toLowerCase(), size_bytes: Number(sizeBytes), reason }),
    done: () => t`File denied`,
    onDone,
  });
  return (
    <ActForm
      title={<Trans>Deny a file</Trans>}
      text={
        <Trans>
          Bytes with this hash and size are refused when they are uploaded. In an encrypted folder they are the
          encrypted bytes, so the same file encrypted with another key is not recognised.
        </Trans>
      }
      action={<Trans>Deny</Trans>}
      tone="danger"
      form={form}
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

const Detail = ({ size_bytes: sizeBytes, reason }: DeniedBlob) => (
  <>
    {bytes(sizeBytes)} · <span translate="no">{reason}</span>
  </>
);

/** Hashes of files that the server refuses to store again. */
export function DeniedSection() {
  const { t } = useLingui();
  const pages = usePages(deniedPages);
  const question = {
    title: t`Allow this file again?`,
    text: () => <Trans>People who have it can upload it again.</Trans>,
    yes: <Trans>Yes, Allow</Trans>,
  };
  return (
    <div className="grid grid-cols-1 gap-4">
      <DenyForm onDone={pages.reload} />
      <UndoList
        pages={pages}
        emptyTitle={t`No file is denied`}
        emptyText={<Trans>Files that can’t be uploaded again are listed here by their hash.</Trans>}
        entryOf={(file) => ({ subject: file.sha256, detail: <Detail {...file} />, createdAt: file.created_at })}
        action={<Trans>Remove</Trans>}
        question={question}
        undo={allowFile}
        undone={() => t`File allowed again`}
        onUndone={pages.reload}
      />
    </div>
  );
}
