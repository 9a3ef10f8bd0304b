import { Trans, useLingui } from '@lingui/react/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { FolderAccess } from '@satchel/contract/entities';
import { useState } from 'react';
import { Switch } from '../../ui/forms/field.tsx';
import { SettingsForm } from './settings-form.tsx';
import { useSaveSettings } from './use-save-settings.ts';

interface AccessSettingsProps {
  folder: FolderCompleteData;
  onSaved: () => void;
}

/** Whether the link alone opens the folder, or a grant is asked for as well (DESIGN R16). */
export function AccessSettings({ folder, onSaved }: AccessSettingsProps) {
  const { t } = useLingui();
  const [draft, setDraft] = useState<FolderAccess | null>(null);
  const { save, forgive, ...saving } = useSaveSettings({ folderId: folder.folder_id, onSaved });
  const current = folder.folder_access;
  const chosen = draft ?? current;
  const isDirty = chosen !== current;
  const isRestricted = chosen === 'restricted';
  const submit = async () => {
    const done = () =>
      isRestricted ? t`Only people let in through Discord get in now` : t`Anyone with the link gets in now`;
    if (await save({ new_access: chosen }, done)) setDraft(null);
  };
  const choose = (restricts: boolean) => {
    setDraft(restricts ? 'restricted' : 'link');
    forgive();
  };
  const form = { saving, isDirty, save: t`Save access`, onSave: () => void submit() };
  return (
    <SettingsForm title={<Trans>Besides the link</Trans>} {...form}>
      <Switch
        label={t`Only people let in through Discord`}
        hint={
          isRestricted
            ? t`The link alone then opens nothing: for all other people, this folder doesn’t exist. People get in by clicking Open on a card that /share posts in Discord. You always get in when you are signed in.`
            : t`Off: anyone with the link gets in. On: people also have to click Open on a card that /share posts in Discord.`
        }
        checked={isRestricted}
        onCheckedChange={choose}
      />
      {isDirty && isRestricted && (
        <p className="text-xs text-warning">
          <Trans>
            People who have the folder open now are shut out, and so are all who were let in earlier. Earlier cards in
            Discord no longer open it. What people have downloaded stays with them.
          </Trans>
        </p>
      )}
    </SettingsForm>
  );
}
