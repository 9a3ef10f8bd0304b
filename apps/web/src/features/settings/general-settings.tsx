import { Trans, useLingui } from '@lingui/react/macro';
import { pinNames } from '@satchel/client/keys/trust-answer';
import type { FolderCompleteData } from '@satchel/contract/api';
import { FOLDER_DESCRIPTION_MAX, FOLDER_NAME_MAX } from '@satchel/contract/limits';
import { Check } from 'lucide-react';
import { useEffect, useState } from 'react';
import { changePin, recallFolder } from '../../engine/keys/key-store.ts';
import { Button } from '../../ui/base/button.tsx';
import { Switch, TextArea, TextField } from '../../ui/forms/field.tsx';
import { draftOf, type GeneralDraft, isSameDraft, tidy } from './general-draft.ts';
import { SettingsForm } from './settings-form.tsx';
import { useSaveSettings } from './use-save-settings.ts';

const nameOf = ({ folder_id: folderId, folder_slug: slug }: FolderCompleteData) => ({ folderId, slug });

interface GeneralSettingsProps {
  folder: FolderCompleteData;
  onSaved: () => void;
}

/** Unsaved values by folder, restored when the owner returns to this tab. */
const unsaved = new Map<string, { readonly base: GeneralDraft; readonly draft: GeneralDraft }>();

function useDraft(folder: FolderCompleteData) {
  const { folder_id: folderId } = folder;
  const current = draftOf(folder);
  const [base, setBase] = useState(unsaved.get(folderId)?.base ?? current);
  const [known, setKnown] = useState(current);
  const [draft, setDraft] = useState(unsaved.get(folderId)?.draft ?? current);
  const isDirty = !isSameDraft(draft, base);
  useEffect(() => {
    if (isDirty) unsaved.set(folderId, { base, draft });
    else unsaved.delete(folderId);
  }, [folderId, isDirty, base, draft]);
  // Changes from another page or device appear here, unless the owner has unsaved values.
  if (!isSameDraft(current, known)) {
    setKnown(current);
    setBase(current);
    if (!isDirty) setDraft(current);
  }
  return {
    base,
    draft,
    isDirty,
    change: (part: Partial<GeneralDraft>) => setDraft((before) => ({ ...before, ...part })),
    discard: () => setDraft(base),
    kept: () => {
      setBase(tidy(draft));
      setDraft(tidy(draft));
    },
  };
}

interface FieldsProps {
  draft: GeneralDraft;
  onChange: (part: Partial<GeneralDraft>) => void;
  mode: FolderCompleteData['folder_link_mode'];
}

function Fields({ draft, onChange, mode }: FieldsProps) {
  const { t } = useLingui();
  // Whether new files can hide their names.
  const sealed = mode === 'private' || mode === 'discord';
  return (
    <>
      <TextField
        label={t`Name`}
        name="folder_name"
        autoComplete="off"
        value={draft.name}
        maxLength={FOLDER_NAME_MAX}
        onChange={(event) => onChange({ name: event.target.value })}
        hint={t`Without one, it is called after its first file.`}
      />
      <TextArea
        label={t`Description`}
        name="folder_description"
        value={draft.description}
        maxLength={FOLDER_DESCRIPTION_MAX}
        onChange={(event) => onChange({ description: event.target.value })}
        hint={t`Shown under the folder’s name. Our server and everyone with the link can read both.`}
      />
      {sealed && (
        <Switch
          label={t`Hide file names`}
          hint={
            draft.hideNames
              ? t`Names and types of files that you upload from now on are sealed: our server can’t read them. Files that are here already stay as they are.`
              : t`Our server can read the names and types of files that you upload from now on, but not what is inside. Files that are here already stay as they are.`
          }
          checked={draft.hideNames}
          onCheckedChange={(hideNames) => onChange({ hideNames })}
        />
      )}
      {mode === 'plain' && (
        <Switch
          label={t`Show the folder’s name in link previews`}
          hint={t`Chats such as Discord show a card for a link. While this is off, the card says nothing about this folder. A chat may keep a card that it has shown.`}
          checked={draft.showName}
          onCheckedChange={(showName) => onChange({ showName })}
        />
      )}
    </>
  );
}

interface StandingProps {
  isDirty: boolean;
  isSaved: boolean;
  onDiscard: () => void;
}

const Standing = ({ isDirty, isSaved, onDiscard }: StandingProps) => (
  <>
    {isDirty && (
      <Button tone="ghost" onClick={onDiscard}>
        <Trans>Discard</Trans>
      </Button>
    )}
    <p className="text-xs text-muted">
      {isDirty && <Trans>Unsaved changes</Trans>}
      {isSaved && (
        <span className="inline-flex items-center gap-1.5 text-success">
          <Check size={15} aria-hidden />
          <Trans>Saved</Trans>
        </span>
      )}
    </p>
  </>
);

/** Name, description, hidden names of new files, and the folder's name in link previews. */
export function GeneralSettings({ folder, onSaved }: GeneralSettingsProps) {
  const { t } = useLingui();
  const { base, draft, isDirty, change, discard, kept } = useDraft(folder);
  const { save, forgive, ...saving } = useSaveSettings({ folderId: folder.folder_id, onSaved });
  const [isSaved, setSaved] = useState(false);
  const submit = async () => {
    const { name, description, hideNames, showName } = tidy(draft);
    const changes = {
      new_name: name || null,
      new_description: description || null,
      // Sends only the fields that this person changed, to keep other changes on the server.
      ...(hideNames !== base.hideNames && { new_hide_names: hideNames }),
      new_show_name_in_previews: showName,
    };
    const pin = () => pinNames({ changePin, recallFolder }, folder.folder_owner_profile_id, nameOf(folder), hideNames);
    const done = await save(changes, () => t`Folder details saved`, hideNames === base.hideNames ? undefined : pin);
    if (done) kept();
    setSaved(done);
  };
  const edit = (part: Partial<GeneralDraft>) => {
    change(part);
    forgive();
  };
  const standing = <Standing isDirty={isDirty && !saving.busy} isSaved={isSaved && !isDirty} onDiscard={discard} />;
  const form = { saving, isDirty, save: t`Save changes`, onSave: () => void submit() };
  return (
    <SettingsForm title={<Trans>General</Trans>} beside={standing} {...form}>
      <Fields draft={draft} onChange={edit} mode={folder.folder_link_mode} />
    </SettingsForm>
  );
}
