import { useLingui } from '@lingui/react/macro';
import { FOLDER_DESCRIPTION_MAX, FOLDER_NAME_MAX } from '@satchel/contract/limits';
import { TextArea, TextField } from '../../ui/forms/field.tsx';
import type { CardProps } from './folder-fields.ts';

/** Name and description. */
export function DetailsCard({ draft, errors, onChange }: CardProps) {
  const { t } = useLingui();
  return (
    <section aria-label={t`Details`} className="card grid gap-4 p-5 sm:p-6">
      <TextField
        label={t`Folder name`}
        name="name"
        autoComplete="off"
        placeholder={t`Saturday raid`}
        value={draft.name}
        maxLength={FOLDER_NAME_MAX}
        error={errors.name}
        onChange={(event) => onChange({ name: event.target.value })}
        hint={t`Optional. Without one, the link’s short name is shown.`}
      />
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
    </section>
  );
}
