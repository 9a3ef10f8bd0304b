import { Trans, useLingui } from '@lingui/react/macro';
import { type AppError, toAppError } from '@satchel/contract/errors';
import { KeyRound } from 'lucide-react';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { announce } from '../../../lib/base/announce.ts';
import { errorText } from '../../../lib/texts/error-text.ts';
import { Button, Dots } from '../../../ui/base/button.tsx';
import { SecretField } from '../../../ui/forms/secret-field.tsx';
import type { Unlock } from './use-folder-key.ts';

interface PassphrasePromptProps {
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
      // The prompt is about to be removed while it has the focus.
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

/** Asks for the passphrase of a link that needs one (CONTAINER §3). Only a proof of it leaves this page. */
export function PassphrasePrompt({ unlock }: PassphrasePromptProps) {
  const { t } = useLingui();
  const titleId = useId();
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
    <section aria-labelledby={titleId} className="card grid gap-4 p-5 sm:p-6">
      <div className="flex gap-3.5">
        <KeyRound size={22} aria-hidden className="mt-0.5 shrink-0 text-accent-text" />
        <div>
          <h2 id={titleId} className="text-base font-semibold">
            <Trans>This folder needs a passphrase</Trans>
          </h2>
          <p className="mt-1 max-w-prose text-sm text-muted">
            <Trans>
              The link opens the files only together with its passphrase. Ask the person who sent you the link. What you
              type stays in this browser: our server gets a proof that it is right, and nothing more.
            </Trans>
          </p>
        </div>
      </div>
      <form className="flex flex-col gap-3 sm:flex-row sm:items-start sm:pl-9" onSubmit={submit} aria-busy={busy}>
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
    </section>
  );
}
