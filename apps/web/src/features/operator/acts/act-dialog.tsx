import { useLingui } from '@lingui/react/macro';
import { OPERATOR_REASON_MAX } from '@satchel/contract/limits';
import { type ComponentProps, useState } from 'react';
import { ConfirmDialog } from '../../../ui/dialogs/dialog.tsx';
import { Switch, TextField } from '../../../ui/forms/field.tsx';
import { operatorList } from '../paged-list.tsx';

/** Confirms an operator's act. */
export const OperatorDialog = ({ description, ...props }: ComponentProps<typeof ConfirmDialog>) => (
  <ConfirmDialog
    {...props}
    description={<p className="wrap-anywhere">{description}</p>}
    returnFocus={(isDone) => (isDone ? operatorList() : null)}
  />
);

interface ActAnswer {
  readonly reason: string;
  readonly isExtra: boolean;
}

interface ActDialogProps extends Omit<ComponentProps<typeof ConfirmDialog>, 'onConfirm'> {
  /** Why the reason is needed. */
  reasonHint: string;
  /** An optional additional measure. */
  extra: { readonly label: string; readonly hint: string };
  onConfirm: (answer: ActAnswer) => Promise<unknown>;
}

/** Confirms an operator's measure; requires a reason, which the affected person reads. */
export function ActDialog({ reasonHint, extra, onConfirm, ...props }: ActDialogProps) {
  const { t } = useLingui();
  const [draft, setDraft] = useState('');
  const [isExtra, setExtra] = useState(false);
  const reason = draft.trim();
  return (
    <OperatorDialog {...props} isReady={reason !== ''} onConfirm={() => onConfirm({ reason, isExtra })}>
      <TextField
        label={t`Reason`}
        hint={reasonHint}
        required
        maxLength={OPERATOR_REASON_MAX}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        autoComplete="off"
      />
      <Switch label={extra.label} hint={extra.hint} checked={isExtra} onCheckedChange={setExtra} />
    </OperatorDialog>
  );
}
