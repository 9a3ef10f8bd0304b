import type { AppError } from '@satchel/contract/errors';
import { FOLDER_DESCRIPTION_MAX, FOLDER_NAME_MAX } from '@satchel/contract/limits';
import { type FormEvent, useState } from 'react';
import { announce } from '../../lib/announce.ts';
import { rpc } from '../../lib/api.ts';
import { createFolderKey } from '../../lib/folder-crypto.ts';
import { rememberKey } from '../../lib/key-store.ts';
import { loadSession } from '../../lib/session.ts';
import { settings } from '../../lib/settings.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button, Dots } from '../../ui/button.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { createFolderMaker, type NewFolder } from './create-folder.ts';
import { emptyDraft, type FolderDraft } from './folder-draft.ts';
import { LifetimeCard } from './lifetime-card.tsx';
import { ProtectionCard } from './protection-card.tsx';

const makeFolder = createFolderMaker({ rpc, createFolderKey, rememberKey });

interface CreateFolderFormProps {
  userId: string;
  onCreated: (created: NewFolder) => void;
}

function useCreateFolder({ userId, onCreated }: CreateFolderFormProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<AppError | null>(null);
  const create = async (draft: FolderDraft) => {
    setBusy(true);
    setError(null);
    try {
      onCreated(await makeFolder(draft, userId));
    } catch (failure) {
      const refused = failure as AppError;
      setBusy(false);
      setError(refused);
      announce(refused.message, true);
      // The session may have ended meanwhile; the page then asks to sign in.
      if (refused.code === 'auth.required') void loadSession().catch(() => {});
    }
  };
  return { busy, error, create };
}

interface DetailsProps {
  draft: FolderDraft;
  onChange: (change: Partial<FolderDraft>) => void;
}

const Details = ({ draft, onChange }: DetailsProps) => (
  <section aria-label="Details" className="card grid gap-4 self-start p-5 sm:p-6">
    <TextField
      label="Folder name"
      name="folder_name"
      autoComplete="off"
      placeholder="Saturday raid"
      value={draft.name}
      maxLength={FOLDER_NAME_MAX}
      onChange={(event) => onChange({ name: event.target.value })}
      hint="Optional. Without one, the link’s short name is shown."
    />
    <TextArea
      label="Description"
      name="folder_description"
      placeholder="What’s inside?"
      value={draft.description}
      maxLength={FOLDER_DESCRIPTION_MAX}
      onChange={(event) => onChange({ description: event.target.value })}
      hint="Optional. Our server and everyone with the link can read the name and the description."
    />
  </section>
);

export function CreateFolderForm(props: CreateFolderFormProps) {
  const [draft, setDraft] = useState(() => emptyDraft(settings.folder_lifetime_hours));
  const { busy, error, create } = useCreateFolder(props);
  const change = (part: Partial<FolderDraft>) => setDraft((before) => ({ ...before, ...part }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!busy) void create(draft);
  };
  return (
    <form className="mt-8 grid grid-cols-1 gap-6 lg:grid-cols-[1fr_21rem]" onSubmit={submit}>
      <Details draft={draft} onChange={change} />
      <div className="grid content-start gap-4">
        <ProtectionCard draft={draft} onChange={change} />
        <LifetimeCard hours={draft.lifetimeHours} onChange={(lifetimeHours) => change({ lifetimeHours })} />
        {error && (
          <Banner tone="danger">
            <b className="font-semibold">The folder was not created.</b> {error.message}
          </Banner>
        )}
        <Button type="submit" tone="primary" size="xl" busy={busy} aria-disabled={busy}>
          {busy ? 'Creating folder...' : 'Create Folder'}
          {busy && <Dots label="" />}
        </Button>
      </div>
    </form>
  );
}
