import { hoursText, limitText } from '../../lib/format.ts';
import { settings } from '../../lib/settings.ts';
import { SelectField } from '../../ui/field.tsx';
import { StitchRing } from '../../ui/stitch.tsx';
import { lifetimeChoices } from './folder-draft.ts';

const choices = lifetimeChoices(settings.folder_lifetime_hours);

interface LifetimeCardProps {
  hours: number;
  onChange: (hours: number) => void;
}

export const LifetimeCard = ({ hours, onChange }: LifetimeCardProps) => (
  <section aria-label="Lifetime" className="card flex items-center gap-4 p-5">
    <StitchRing fraction={hours / settings.folder_lifetime_hours} sizePx={52} />
    <div className="min-w-0 flex-1">
      <SelectField
        label="Deletes itself after"
        value={hours}
        onChange={(event) => onChange(Number(event.target.value))}
        hint={`${limitText(settings.max_file_bytes)} per file, ${limitText(settings.free_storage_bytes)} per account`}
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
