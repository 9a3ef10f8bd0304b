import { Trans, useLingui } from '@lingui/react/macro';
import { passphraseFault } from '@satchel/client/keys/passphrase-fault';
import { type PassphraseStrength, passphraseStrength } from '@satchel/client/keys/passphrase-strength';
import type { ChangeEvent } from 'react';
import { Switch } from '../../ui/forms/field.tsx';
import { SecretField } from '../../ui/forms/secret-field.tsx';
import type { PartProps } from './folder-fields.ts';

const BARS: Readonly<Record<PassphraseStrength, { filled: number; tone: string }>> = {
  weak: { filled: 1, tone: 'bg-danger' },
  fair: { filled: 2, tone: 'bg-warning' },
  strong: { filled: 3, tone: 'bg-success' },
};

function StrengthText({ strength }: { strength: PassphraseStrength }) {
  if (strength === 'weak') return <Trans>Easy to guess. Four or five random words are better.</Trans>;
  if (strength === 'fair') return <Trans>Fair. One more word makes it hard to guess.</Trans>;
  return <Trans>Hard to guess, unless it is a quotation.</Trans>;
}

/** Strength of the passphrase; announced when the rating changes, not at every letter. */
function Strength({ passphrase, folderName }: { passphrase: string; folderName: string }) {
  const strength = passphraseFault(passphrase, folderName) ? 'weak' : passphraseStrength(passphrase);
  const { filled, tone } = BARS[strength];
  return (
    <div className="flex items-center gap-3 text-2xs text-muted">
      <span aria-hidden className="flex gap-1">
        {[1, 2, 3].map((bar) => (
          <span key={bar} className={`h-1.5 w-6 rounded-full ${bar <= filled ? tone : 'bg-line'}`} />
        ))}
      </span>
      <p role="status">
        <StrengthText strength={strength} />
      </p>
    </div>
  );
}

function Fields({ draft, errors, onChange }: PartProps) {
  const { t } = useLingui();
  const field = (name: 'passphrase' | 'passphraseAgain') => ({
    name,
    autoComplete: 'new-password',
    value: draft[name],
    error: errors[name],
    onChange: (event: ChangeEvent<HTMLInputElement>) => onChange({ [name]: event.target.value }),
  });
  return (
    <>
      <div className="grid gap-3">
        <SecretField label={t`Passphrase`} {...field('passphrase')} />
        <SecretField label={t`Passphrase again`} {...field('passphraseAgain')} />
      </div>
      {draft.passphrase !== '' && <Strength passphrase={draft.passphrase} folderName={draft.name} />}
      <p className="rounded-control bg-warning-soft p-3.5 text-xs text-muted">
        <b className="font-semibold text-ink">
          <Trans>The passphrase can’t be recovered.</Trans>
        </b>{' '}
        <Trans>
          The passphrase never leaves this browser, so we can’t tell it to anyone or reset it. This device won’t ask you
          for it. Send it separately from the link.
        </Trans>
      </p>
    </>
  );
}

/** Optional passphrase of a private link (docs/container.md §3). */
export function PassphrasePart(props: PartProps) {
  const { t } = useLingui();
  const { draft, onChange } = props;
  return (
    <div className="grid gap-4">
      <Switch
        label={t`Ask for a passphrase`}
        hint={t`The link then opens the files only together with the passphrase.`}
        checked={draft.wantsPassphrase}
        onCheckedChange={(wantsPassphrase) => onChange({ wantsPassphrase })}
      />
      {draft.wantsPassphrase && <Fields {...props} />}
    </div>
  );
}
