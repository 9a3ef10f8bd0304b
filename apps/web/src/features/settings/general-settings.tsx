import type { FolderCompleteData } from '@satchel/contract/api';
import type { AppError } from '@satchel/contract/errors';
import { FOLDER_DESCRIPTION_MAX, FOLDER_NAME_MAX } from '@satchel/contract/limits';
import { type FormEvent, useState } from 'react';
import { rpc } from '../../lib/api.ts';
import { notify } from '../../lib/toast.ts';
import { Button } from '../../ui/button.tsx';
import { Switch, TextArea, TextField } from '../../ui/field.tsx';

interface Draft {
  readonly name: string;
  readonly description: string;
  readonly hideNames: boolean;
}

const draftOf = (folder: FolderCompleteData): Draft => ({
  name: folder.folder_name ?? '',
  description: folder.folder_description ?? '',
  hideNames: folder.hide_names,
});

const isSame = (a: Draft, b: Draft): boolean =>
  a.name.trim() === b.name && a.description.trim() === b.description && a.hideNames === b.hideNames;

interface GeneralSettingsProps {
  folder: FolderCompleteData;
  onSaved: () => void;
}

function useSave({ folder, onSaved }: GeneralSettingsProps) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const save = async ({ name, description, hideNames }: Draft) => {
    setBusy(true);
    setFailure(null);
    try {
      await rpc('update_folder_settings', {
        folder_id: folder.folder_id,
        new_name: name.trim() || null,
        new_description: description.trim() || null,
        new_hide_names: hideNames,
      });
      notify('Folder details saved');
      onSaved();
    } catch (error) {
      setFailure((error as AppError).message);
    }
    setBusy(false);
  };
  return { busy, failure, save };
}

interface FieldsProps {
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
  /** Whether files of the folder can hide their names. */
  sealed: boolean;
}

const Fields = ({ draft, onChange, sealed }: FieldsProps) => (
  <>
    <TextField
      label="Name"
      name="folder_name"
      autoComplete="off"
      value={draft.name}
      maxLength={FOLDER_NAME_MAX}
      onChange={(event) => onChange({ name: event.target.value })}
      hint="Without one, the link’s short name is shown."
    />
    <TextArea
      label="Description"
      name="folder_description"
      value={draft.description}
      maxLength={FOLDER_DESCRIPTION_MAX}
      onChange={(event) => onChange({ description: event.target.value })}
      hint="Our server and everyone with the link can read the name and the description."
    />
    {sealed && (
      <Switch
        label="Hide file names"
        hint="Seals the names and types of files that you upload from now on."
        checked={draft.hideNames}
        onCheckedChange={(hideNames) => onChange({ hideNames })}
      />
    )}
  </>
);

/** Name, description and whether new files hide their names. */
export function GeneralSettings(props: GeneralSettingsProps) {
  const { folder } = props;
  const [draft, setDraft] = useState(() => draftOf(folder));
  const { busy, failure, save } = useSave(props);
  const isUnchanged = isSame(draft, draftOf(folder));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!busy && !isUnchanged) void save(draft);
  };
  return (
    <section aria-labelledby="general-settings" className="card p-5 sm:p-6">
      <h2 id="general-settings" className="text-base font-semibold">
        General
      </h2>
      <form className="mt-4 grid max-w-lg gap-4" onSubmit={submit}>
        <Fields
          draft={draft}
          onChange={(part) => setDraft((before) => ({ ...before, ...part }))}
          sealed={folder.folder_link_mode !== 'plain'}
        />
        {failure && (
          <p role="alert" className="text-sm text-danger">
            The changes were not saved. {failure}
          </p>
        )}
        <div>
          <Button type="submit" tone="primary" busy={busy} disabled={isUnchanged} aria-disabled={busy}>
            {busy ? 'Saving...' : 'Save changes'}
          </Button>
        </div>
      </form>
    </section>
  );
}
