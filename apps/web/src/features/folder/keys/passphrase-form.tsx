import { Trans, useLingui } from '@lingui/react/macro';
import { type AppError, toAppError } from '@satchel/contract/errors';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { announce } from '../../../lib/base/announce.ts';
import { errorText } from '../../../lib/texts/error-text.ts';
import { Button, Dots } from '../../../ui/base/button.tsx';
import { SecretField } from '../../../ui/forms/secret-field.tsx';
import type { Unlock } from './use-folder-key.ts';

interface PassphraseFormProps {
  unlock: Unlock;
}

/** Tries one passphrase at a time; unmounting aborts the attempt. */
function usePassphrase(unlock: Unlock, onRefused: () => void) {
  const { t } = useLingui();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<AppError | null>(null);
  const leaving = useRef<AbortController>(null);
  useEffect(() => () => leaving.current?.abort(), []);
  const attempt = async (passphrase: string) => {
    const controller = new AbortController();
    leaving.current = controller;
    setBusy(true);
    setError(null);
    try {
      await unlock(passphrase, controller.signal);
      announce(t`The passphrase is right. The files are being opened.`);
      // The field is about to be removed while it has the focus.
      document.getElementById('main')?.focus({ preventScroll: true });
    } catch (failure) {
      if (controller.signal.aborted) return;
      const refused = toAppError(failure, 'key.passphrase_failed');
      setError(refused);
      announce(errorText(refused), true);
      setBusy(false);
      onRefused();
    }
  };
  return { busy, error, setError, attempt };
}

/** The field for the passphrase of a link that needs one (docs/container.md §3). Only a proof of it leaves this page. */
export function PassphraseForm({ unlock }: PassphraseFormProps) {
  const { t } = useLingui();
  const field = useRef<HTMLInputElement>(null);
  const [passphrase, setPassphrase] = useState('');
  const [isMissing, setMissing] = useState(false);
  const { busy, error, setError, attempt } = usePassphrase(unlock, () => field.current?.select());
  const problem = isMissing ? t`Type the passphrase first.` : error ? errorText(error) : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    setMissing(passphrase === '');
    if (passphrase === '') field.current?.focus();
    else void attempt(passphrase);
  };
  return (
    <form className="flex flex-col gap-3 sm:flex-row sm:items-start" onSubmit={submit} aria-busy={busy}>
      <SecretField
        ref={field}
        className="sm:max-w-md sm:flex-1"
        label={t`Passphrase`}
        name="passphrase"
        autoComplete="off"
        value={passphrase}
        readOnly={busy}
        error={problem}
        onChange={(event) => {
          setPassphrase(event.target.value);
          setMissing(false);
          setError(null);
        }}
      />
      <Button type="submit" tone="primary" className="h-10 sm:mt-5.5" busy={busy} aria-disabled={busy}>
        {busy ? <Trans>Checking...</Trans> : <Trans>Open Files</Trans>}
        {busy && <Dots label="" />}
      </Button>
    </form>
  );
}
