import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { notify } from '../../../lib/base/toast.ts';
import { TextField } from '../../../ui/forms/field.tsx';
import { ActForm } from '../acts/act-form.tsx';
import { useAct } from '../acts/use-act.ts';
import { giveTier } from '../operator-api.ts';

const EMPTY = { discordId: '', tier: '' };

/** Changes an account's tier. */
export function TiersSection() {
  const { t } = useLingui();
  const [{ discordId, tier }, setDraft] = useState(EMPTY);
  const { busy, failure, run } = useAct();
  const submit = async () => {
    const input = { discord_id: discordId.trim(), subscription_tier: tier.trim() };
    if (!(await run(() => giveTier(input)))) return;
    setDraft(EMPTY);
    notify(t`Tier given`);
  };
  return (
    <ActForm
      title={<Trans>Give an account a tier</Trans>}
      text={
        <Trans>
          Tiers and their limits are in the settings of the site; “free” is always there. New limits hold from the next
          upload and the next folder on.
        </Trans>
      }
      action={<Trans>Give tier</Trans>}
      busy={busy}
      failure={failure}
      onSubmit={() => void submit()}
    >
      <TextField
        label={t`Discord user ID`}
        required
        inputMode="numeric"
        pattern="\s*\d{1,20}\s*"
        value={discordId}
        onChange={(event) => setDraft({ discordId: event.target.value, tier })}
        autoComplete="off"
      />
      <TextField
        label={t`Name of the tier`}
        required
        value={tier}
        onChange={(event) => setDraft({ discordId, tier: event.target.value })}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
    </ActForm>
  );
}
