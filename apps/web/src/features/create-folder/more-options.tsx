import { Trans, useLingui } from '@lingui/react/macro';
import type { TierLimits } from '@satchel/contract/entities';
import { FOLDER_DESCRIPTION_MAX } from '@satchel/contract/limits';
import { ChevronDown } from 'lucide-react';
import { useMemo } from 'react';
import { hoursText } from '../../lib/figures/format.ts';
import { SelectField, Switch, TextArea } from '../../ui/forms/field.tsx';
import { lifetimeChoices } from './folder-draft.ts';
import type { PartProps } from './folder-fields.ts';

interface MoreOptionsProps extends PartProps {
  limits: TierLimits;
  /** The lifetime at page load, which may be none of the usual choices. */
  askedHours: number | undefined;
  open: boolean;
  onToggle: (open: boolean) => void;
}

function Lifetime({ draft, errors, onChange, limits, askedHours }: Omit<MoreOptionsProps, 'open' | 'onToggle'>) {
  const { t } = useLingui();
  const { folder_lifetime_hours: maxHours } = limits;
  const choices = useMemo(() => lifetimeChoices(maxHours, askedHours), [maxHours, askedHours]);
  return (
    <SelectField
      label={t`Deletes itself after`}
      name="lifetime"
      value={draft.lifetimeHours}
      error={errors.lifetime}
      onChange={(event) => onChange({ lifetimeHours: Number(event.target.value) })}
    >
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {hoursText(choice)}
        </option>
      ))}
    </SelectField>
  );
}

type Names = Pick<PartProps, 'draft'>;

/** What our server sees of the files' names; more-options.test.tsx holds it against what it does see. */
export function NamesHint({ draft: { linkMode, hideNames } }: Names) {
  if (!hideNames) return <Trans>Our server sees file names, types, sizes and times.</Trans>;
  return linkMode === 'discord' ? (
    <Trans>Names and types are sealed like the files. While our server holds the key, it can read them, too.</Trans>
  ) : (
    <Trans>
      Our server sees how many files there are, how big they are and when they came, not what they are called.
    </Trans>
  );
}

/** What most folders don't need: folded away, with the present end in its line. */
export function MoreOptions({ open, onToggle, ...props }: MoreOptionsProps) {
  const { t } = useLingui();
  const { draft, errors, onChange } = props;
  const life = hoursText(draft.lifetimeHours);
  return (
    <details open={open} onToggle={(event) => onToggle(event.currentTarget.open)} className="group/more">
      <summary className="flex min-h-10 cursor-pointer list-none items-center gap-2 rounded-chip text-sm text-muted hover:text-ink">
        <span className="min-w-0">
          <Trans>More options</Trans> <span className="text-subtle">· {t`deletes itself after ${life}`}</span>
        </span>
        <ChevronDown
          size={15}
          aria-hidden
          className="ml-auto shrink-0 transition-transform group-open/more:rotate-180"
        />
      </summary>
      <div className="grid gap-4 pt-3">
        <Lifetime {...props} />
        <TextArea
          label={t`Description`}
          name="description"
          placeholder={t`What’s inside?`}
          value={draft.description}
          maxLength={FOLDER_DESCRIPTION_MAX}
          error={errors.description}
          onChange={(event) => onChange({ description: event.target.value })}
          hint={t`Optional. Our server and everyone with the link can read the name and the description.`}
        />
        {draft.linkMode !== 'plain' && (
          <Switch
            label={t`Hide file names`}
            hint={<NamesHint draft={draft} />}
            checked={draft.hideNames}
            onCheckedChange={(hideNames) => onChange({ hideNames })}
          />
        )}
      </div>
    </details>
  );
}
