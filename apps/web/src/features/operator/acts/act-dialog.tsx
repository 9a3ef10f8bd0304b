import { Trans, useLingui } from '@lingui/react/macro';
import { OPERATOR_REASON_MAX } from '@satchel/contract/limits';
import { type FormEvent, type MouseEvent, type ReactNode, useRef, useState } from 'react';
import { Button } from '../../../ui/base/button.tsx';
import { ConfirmDialog } from '../../../ui/dialogs/dialog.tsx';
import { Switch, TextField } from '../../../ui/forms/field.tsx';
import { operatorList } from '../list-focus.ts';
import { useAct } from './use-act.ts';

export interface ActAnswer {
  readonly reason: string;
  readonly isExtra: boolean;
}

interface ActDialogProps {
  title: string;
  description: ReactNode;
  /** Why the reason is needed. */
  reasonHint: string;
  /** An optional additional measure. */
  extra: { readonly label: string; readonly hint: string };
  yes: ReactNode;
  onClose: () => void;
  onDone: () => void;
  onConfirm: (answer: ActAnswer) => Promise<unknown>;
}

/** Confirms an operator's measure; requires a reason, which the affected person reads. */
export function ActDialog(props: ActDialogProps) {
  const { title, description, reasonHint, extra, yes, onClose, onDone, onConfirm } = props;
  const { t } = useLingui();
  const [reason, setReason] = useState('');
  const [isExtra, setExtra] = useState(false);
  const { busy, failure, run } = useAct();
  const isDone = useRef(false);
  const isReady = reason.trim() !== '';
  const confirm = async (event: MouseEvent | FormEvent) => {
    // The dialog stays open until the server answers.
    event.preventDefault();
    if (!isReady || !(await run(() => onConfirm({ reason: reason.trim(), isExtra })))) return;
    isDone.current = true;
    onDone();
  };
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={title}
      returnFocus={() => (isDone.current ? operatorList() : null)}
      description={description}
      cancel={
        <Button size="lg">
          <Trans>Cancel</Trans>
        </Button>
      }
      action={
        <Button size="lg" tone="danger" busy={busy} disabled={!isReady} aria-disabled={busy} onClick={confirm}>
          {yes}
        </Button>
      }
    >
      <form className="mt-4 grid gap-4" onSubmit={confirm}>
        <TextField
          label={t`Reason`}
          hint={reasonHint}
          required
          maxLength={OPERATOR_REASON_MAX}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          autoComplete="off"
        />
        <Switch label={extra.label} hint={extra.hint} checked={isExtra} onCheckedChange={setExtra} />
        {failure && (
          <p role="alert" className="text-sm text-danger">
            {failure}
          </p>
        )}
      </form>
    </ConfirmDialog>
  );
}
