import { Trans, useLingui } from '@lingui/react/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { FolderAccess } from '@satchel/contract/entities';
import { type ReactNode, useId, useState } from 'react';
import { SettingsForm } from './settings-form.tsx';
import { useSaveSettings } from './use-save-settings.ts';

interface AccessSettingsProps {
  folder: FolderCompleteData;
  onSaved: () => void;
}

interface ChoiceProps {
  name: string;
  value: FolderAccess;
  chosen: FolderAccess;
  onChoose: (value: FolderAccess) => void;
  label: string;
  children: ReactNode;
}

function Choice({ name, value, chosen, onChoose, label, children }: ChoiceProps) {
  const id = useId();
  return (
    <div className="relative flex gap-3">
      <input
        id={id}
        type="radio"
        name={name}
        value={value}
        checked={value === chosen}
        onChange={() => onChoose(value)}
        aria-describedby={`${id}-d`}
        className="mt-0.5 size-4 shrink-0 accent-(--accent-text)"
      />
      <div>
        {/* Laid over the whole choice, and 20 px from the button's middle to the left and up. */}
        <label
          htmlFor={id}
          className="text-sm font-medium text-ink before:absolute before:inset-0 before:-top-2.5 before:-left-3"
        >
          {label}
        </label>
        <div id={`${id}-d`} className="mt-0.5 grid gap-1 text-xs text-muted">
          {children}
        </div>
      </div>
    </div>
  );
}

function Choices(props: Pick<ChoiceProps, 'name' | 'chosen' | 'onChoose'>) {
  const { t } = useLingui();
  return (
    <>
      <Choice {...props} value="link" label={t`Anyone with the link`}>
        <p>
          <Trans>Everyone with the link can see this folder.</Trans>
        </p>
      </Choice>
      <Choice {...props} value="restricted" label={t`Only people let in through Discord`}>
        <p>
          <Trans>
            The link alone then opens nothing: for everyone else this folder doesn’t exist. People come in by clicking
            Open on a card that /share posts in Discord. You always can, when you are signed in.
          </Trans>
        </p>
      </Choice>
    </>
  );
}

/** Whether the link alone opens the folder (DESIGN R16). */
export function AccessSettings({ folder, onSaved }: AccessSettingsProps) {
  const { t } = useLingui();
  const name = useId();
  const [draft, setDraft] = useState<FolderAccess | null>(null);
  const { save, forgive, ...saving } = useSaveSettings({ folderId: folder.folder_id, onSaved });
  const current = folder.folder_access;
  const chosen = draft ?? current;
  const isDirty = chosen !== current;
  const submit = async () => {
    const done =
      chosen === 'restricted' ? t`Only people let in through Discord get in now` : t`Anyone with the link gets in now`;
    if (await save({ new_access: chosen }, done)) setDraft(null);
  };
  const choose = (access: FolderAccess) => {
    setDraft(access);
    forgive();
  };
  const form = { saving, isDirty, save: t`Save access`, onSave: () => void submit() };
  return (
    <SettingsForm title={<Trans>Is the link enough to get in?</Trans>} {...form}>
      <fieldset aria-label={t`Is the link enough to get in?`} className="grid gap-4">
        <Choices name={name} chosen={chosen} onChoose={choose} />
      </fieldset>
      {isDirty && chosen === 'restricted' && (
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
