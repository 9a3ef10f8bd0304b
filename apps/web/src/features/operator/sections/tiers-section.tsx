import { Trans, useLingui } from '@lingui/react/macro';
import { TextField } from '../../../ui/forms/field.tsx';
import { ActForm, useActForm } from '../acts/act-form.tsx';
import { giveTier } from '../operator-api.ts';

const EMPTY = { discord_id: '', subscription_tier: '' };

/** Changes an account's tier. */
export function TiersSection() {
  const { t } = useLingui();
  const { field, form } = useActForm({ empty: EMPTY, act: giveTier, done: () => t`Tier given` });
  return (
    <ActForm
      title={<Trans>Give an account a tier</Trans>}
      text={
        <Trans>
          Tiers and their limits are in the settings of the site; “free” is always there. New limits apply from the next
          upload and the next folder.
        </Trans>
      }
      action={<Trans>Give tier</Trans>}
      form={form}
    >
      <TextField label={t`Discord user ID`} inputMode="numeric" pattern="\s*\d{1,20}\s*" {...field('discord_id')} />
      <TextField label={t`Name of the tier`} autoCapitalize="none" spellCheck={false} {...field('subscription_tier')} />
    </ActForm>
  );
}
