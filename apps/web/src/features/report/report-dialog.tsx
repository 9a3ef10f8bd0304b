import { Trans, useLingui } from '@lingui/react/macro';
import { REPORT_NOTE_MAX } from '@satchel/contract/limits';
import type { FormEvent } from 'react';
import { Button } from '../../ui/base/button.tsx';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { Switch, TextArea } from '../../ui/forms/field.tsx';
import { REPORT_REASONS } from '../../ui/report-reasons.ts';
import { Failure } from '../../ui/sections/failure.tsx';
import { type ReportDraft, type ReportedFolder, useReport } from './use-report.ts';

type Reason = NonNullable<ReportDraft['reason']>;
const REASONS = Object.keys(REPORT_REASONS) as Reason[];

interface PartProps {
  draft: ReportDraft;
  onChange: (part: Partial<ReportDraft>) => void;
}

function Reasons({ draft, onChange }: PartProps) {
  const { t } = useLingui();
  return (
    <fieldset>
      <legend className="mb-1.5 text-xs font-medium text-muted">
        <Trans>What is wrong with it?</Trans>
      </legend>
      {REASONS.map((reason) => (
        <label key={reason} className="flex cursor-pointer items-center gap-3 rounded-control py-1.5 text-sm">
          <input
            type="radio"
            name="reason"
            required
            checked={draft.reason === reason}
            onChange={() => onChange({ reason })}
            className="size-4 shrink-0 accent-(--accent-text)"
          />
          {t(REPORT_REASONS[reason])}
        </label>
      ))}
    </fieldset>
  );
}

function Note({ draft, onChange }: PartProps) {
  const { t, i18n } = useLingui();
  const [length, max] = [i18n.number(draft.note.length), i18n.number(REPORT_NOTE_MAX)];
  return (
    <TextArea
      label={t`What should the operator know? (optional)`}
      hint={t`${length} of ${max} characters`}
      rows={3}
      maxLength={REPORT_NOTE_MAX}
      value={draft.note}
      onChange={(event) => onChange({ note: event.target.value })}
    />
  );
}

const KeyQuestion = ({ draft, onChange }: PartProps) => {
  const { t } = useLingui();
  return (
    <div className="rounded-control bg-sunken p-3.5">
      <Switch
        label={t`Include the key, so that the operator can look inside`}
        hint={
          <Trans>
            The files are encrypted, and without the key your report can’t be checked. Your browser locks the key so
            that only the operators of this site can read it, not the server. The operators can then open every file of
            this folder.
          </Trans>
        }
        checked={draft.includesKey}
        onCheckedChange={(includesKey) => onChange({ includesKey })}
      />
    </div>
  );
};

/** The form was removed while it had the focus: focus the next button. */
const focusIt = (button: HTMLButtonElement | null) => button?.focus();

const Sent = ({ onClose }: { onClose: () => void }) => (
  <>
    <p className="text-sm text-muted">
      <Trans>
        The operators of this site will look at it. The owner is not told who reported the folder, and you won’t get an
        answer here.
      </Trans>
    </p>
    <Button ref={focusIt} tone="primary" size="lg" className="mt-6 w-full" onClick={onClose}>
      <Trans>Done</Trans>
    </Button>
  </>
);

interface ReportDialogProps extends ReportedFolder {
  onClose: () => void;
}

/** Reports a folder to the operators of the site. */
export function ReportDialog({ onClose, ...folder }: ReportDialogProps) {
  const { t } = useLingui();
  const { draft, change, canIncludeKey, isSent, busy, failure, submit } = useReport(folder);
  const send = (event: FormEvent) => {
    event.preventDefault();
    submit();
  };
  return (
    <Dialog
      onClose={onClose}
      title={isSent ? t`Thank you for the report` : t`Report this folder`}
      description={isSent ? undefined : t`Your report goes to the operators of this site, without your name.`}
    >
      {isSent ? (
        <Sent onClose={onClose} />
      ) : (
        <form noValidate className="grid gap-5" onSubmit={send}>
          <Reasons draft={draft} onChange={change} />
          <Note draft={draft} onChange={change} />
          {canIncludeKey && <KeyQuestion draft={draft} onChange={change} />}
          <Failure text={failure} />
          <Button type="submit" tone="primary" size="lg" busy={busy} aria-disabled={busy}>
            {busy ? <Trans>Sending...</Trans> : <Trans>Send Report</Trans>}
          </Button>
        </form>
      )}
    </Dialog>
  );
}
