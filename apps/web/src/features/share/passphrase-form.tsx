import { Trans, useLingui } from '@lingui/react/macro';
import { type PassphraseFault, passphraseFault } from '@satchel/client/keys/passphrase-fault';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/base/button.tsx';
import { passphraseFaultText } from '../../ui/forms/passphrase-fault-text.ts';
import { SecretField } from '../../ui/forms/secret-field.tsx';
import { Failure } from '../../ui/sections/failure.tsx';
import { useAct } from '../../ui/sections/use-act.ts';
import { NewLinkEffect } from './link-question.tsx';
import type { ChangeLink } from './use-link-change.ts';

interface PassphraseFormProps {
  /** The link has a passphrase already. */
  isChange: boolean;
  folderName: string | null;
  change: ChangeLink;
  onClose: () => void;
}

/** Sets or replaces a passphrase. Either creates a new link (docs/container.md §3). */
export function PassphraseForm({ isChange, folderName, change, onClose }: PassphraseFormProps) {
  const { t } = useLingui();
  const [passphrase, setPassphrase] = useState('');
  const [fault, setFault] = useState<PassphraseFault | null>(null);
  const { busy, failure, run, forgive } = useAct();
  const form = useRef<HTMLFormElement>(null);
  // On a phone, focus scrolls only the field into view; the hint and the button must be visible, too.
  useEffect(() => {
    form.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const found = passphraseFault(passphrase, folderName);
    setFault(found);
    if (!found && (await run(() => change({ type: 'private', passphrase })))) onClose();
  };
  return (
    <form ref={form} className="grid scroll-m-5 gap-3 rounded-control bg-sunken p-3.5" onSubmit={submit}>
      <SecretField
        label={isChange ? t`New passphrase` : t`Passphrase`}
        name="new_passphrase"
        autoComplete="new-password"
        autoFocus
        value={passphrase}
        readOnly={busy}
        onChange={(event) => {
          setPassphrase(event.target.value);
          setFault(null);
          forgive();
        }}
        hint={t`Four or five random words are easy to say and hard to guess.`}
        error={fault === 'missing' ? t`Type a passphrase first.` : (fault && passphraseFaultText(fault)) || undefined}
      />
      <div className="grid gap-1.5 text-xs text-muted">
        <p>
          <Trans>
            You get a new link. Send the passphrase separately from the link. We don’t know it, and can’t reset it.
          </Trans>
        </p>
        <NewLinkEffect />
      </div>
      <Failure text={failure} notDone={t`The change was not confirmed.`} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" busy={busy} aria-disabled={busy}>
          {busy ? <Trans>Making a new link...</Trans> : isChange ? <Trans>Change</Trans> : <Trans>Set</Trans>}
        </Button>
        <Button tone="ghost" onClick={onClose} disabled={busy}>
          <Trans>Cancel</Trans>
        </Button>
      </div>
    </form>
  );
}
