import { Trans, useLingui } from '@lingui/react/macro';
import type { NewFolder } from '@satchel/client/folders/create-folder';
import type { TierLimits } from '@satchel/contract/entities';
import { FOLDER_NAME_MAX } from '@satchel/contract/limits';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { currentSession } from '../../account/session/session.ts';
import { errorText } from '../../lib/texts/error-text.ts';
import { Button, Dots, LinkButton } from '../../ui/base/button.tsx';
import { TextField } from '../../ui/forms/field.tsx';
import { LinkModeChoice } from '../../ui/forms/link-mode-choice.tsx';
import { Banner } from '../../ui/states/banner.tsx';
import { emptyDraft, type FolderDraft, type Prefill } from './folder-draft.ts';
import type { FieldName, PartProps } from './folder-fields.ts';
import { deleteDraft, keepDraft, keptDraft } from './kept-draft.ts';
import { MoreOptions } from './more-options.tsx';
import { PassphrasePart } from './passphrase-part.tsx';
import { useCreateFolder } from './use-create-folder.ts';

interface CreateFolderFormProps {
  userId: string;
  /** What this person's tier allows. */
  limits: TierLimits;
  /** Values from the address or from a Discord command. */
  prefill: Prefill;
  /** Id of that command's intent; null without one. */
  intentId: string | null;
  onCreated: (created: NewFolder) => void;
  /** Content above the form. */
  zone: (draft: FolderDraft) => ReactNode;
}

/** Opens in another tab: this one keeps the form and the chosen files. */
const ToFolders = () => (
  <LinkButton to="/profile" target="_blank">
    <Trans>My folders (new tab)</Trans>
  </LinkButton>
);

/** Fields that MoreOptions holds. */
const FOLDED: ReadonlySet<FieldName> = new Set(['description', 'lifetime']);

function NameField({ draft, errors, onChange }: PartProps) {
  const { t } = useLingui();
  return (
    <TextField
      label={t`Folder name`}
      name="name"
      autoComplete="off"
      placeholder={t`Saturday raid`}
      value={draft.name}
      maxLength={FOLDER_NAME_MAX}
      error={errors.name}
      onChange={(event) => onChange({ name: event.target.value })}
      hint={t`Optional. Without one, it is called after its first file.`}
    />
  );
}

/** The form for a new folder: a name, who opens it, and a button; all else is folded away. */
export function CreateFolderForm({ userId, limits, prefill, intentId, onCreated, zone }: CreateFolderFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const { folder_lifetime_hours: maxHours } = limits;
  const [draft, setDraft] = useState(() => keptDraft(emptyDraft(maxHours, prefill), maxHours, userId, intentId));
  useEffect(() => keepDraft(draft, userId, intentId), [draft, userId, intentId]);
  // Leaving for another page discards the draft; the sign-in and back keeps it.
  useEffect(() => () => void (currentSession().state === 'in' && deleteDraft()), []);
  const [isMoreOpen, setMoreOpen] = useState(false);
  const focusField = (name: FieldName) => {
    if (FOLDED.has(name)) setMoreOpen(true);
    // Focus only once the field shows its error, so that screen readers read the error with the field.
    requestAnimationFrame(() => {
      const control = form.current?.elements.namedItem(name);
      if (control instanceof HTMLElement) control.focus();
    });
  };
  const { busy, errors, refused, create, forgive } = useCreateFolder({
    userId,
    intentId,
    onCreated: (created) => {
      deleteDraft();
      onCreated(created);
    },
    onFieldError: focusField,
  });
  const change = (part: Partial<FolderDraft>) => {
    setDraft((before) => ({ ...before, ...part }));
    forgive();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!busy) void create(draft);
  };
  const part = { draft, errors, onChange: change };
  return (
    <form
      ref={form}
      noValidate
      className="mt-6 grid grid-cols-1 gap-5 lg:grid-cols-[minmax(0,1fr)_26rem] lg:grid-rows-[auto_1fr] lg:gap-x-6"
      onSubmit={submit}
    >
      <div className="min-w-0 lg:row-span-2">{zone(draft)}</div>
      <div className="grid content-start gap-5">
        <NameField {...part} />
        <LinkModeChoice
          value={draft.linkMode}
          onChange={(linkMode) => change({ linkMode })}
          passphrase={<PassphrasePart {...part} />}
        />
        <MoreOptions
          {...part}
          limits={limits}
          askedHours={prefill.lifetimeHours}
          open={isMoreOpen}
          onToggle={setMoreOpen}
        />
        {refused && (
          <Banner tone="danger" action={refused.code === 'folder.too_many' && <ToFolders />}>
            <b className="font-semibold">
              <Trans>The folder was not created.</Trans>
            </b>{' '}
            {errorText(refused)}
          </Banner>
        )}
      </div>
      {/* At hand on a phone, however many files were chosen above. */}
      <div className="self-start max-lg:sticky max-lg:bottom-0 max-lg:z-20 max-lg:-mx-2 max-lg:bg-canvas max-lg:px-2 max-lg:pt-2 max-lg:pb-[calc(0.75rem+env(safe-area-inset-bottom))]">
        <Button type="submit" tone="primary" size="xl" busy={busy} aria-disabled={busy} className="w-full">
          {busy ? <Trans>Creating folder...</Trans> : <Trans>Create Folder</Trans>}
          {busy && <Dots label="" />}
        </Button>
      </div>
    </form>
  );
}
