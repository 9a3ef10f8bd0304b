import { useLingui } from '@lingui/react/macro';
import type { TierLimits } from '@satchel/contract/entities';
import { useMemo } from 'react';
import { hoursText, limitText } from '../../lib/figures/format.ts';
import { StitchRing } from '../../ui/base/stitch.tsx';
import { SelectField } from '../../ui/forms/field.tsx';
import { lifetimeChoices } from './folder-draft.ts';

interface LifetimeCardProps {
  limits: TierLimits;
  hours: number;
  /** The value at page load, if it is none of the usual choices. */
  asked: number | undefined;
  error: string | undefined;
  onChange: (hours: number) => void;
}

/** The folder's lifetime; both size limits beside it. */
export function LifetimeCard({ limits, hours, asked, error, onChange }: LifetimeCardProps) {
  const { t } = useLingui();
  const { folder_lifetime_hours: maxHours } = limits;
  const choices = useMemo(() => lifetimeChoices(maxHours, asked), [maxHours, asked]);
  const perFile = limitText(limits.max_file_bytes);
  const perAccount = limitText(limits.storage_bytes);
  return (
    <section aria-label={t`Lifetime`} className="card flex items-center gap-4 p-5">
      <StitchRing fraction={hours / maxHours} sizePx={52} />
      <div className="min-w-0 flex-1">
        <SelectField
          label={t`Deletes itself after`}
          name="lifetime"
          value={hours}
          error={error}
          onChange={(event) => onChange(Number(event.target.value))}
          hint={t`${perFile} per file, ${perAccount} per account`}
        >
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {hoursText(choice)}
            </option>
          ))}
        </SelectField>
      </div>
    </section>
  );
}
