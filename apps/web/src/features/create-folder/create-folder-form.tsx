import { Trans } from '@lingui/react/macro';
import type { TierLimits } from '@satchel/contract/entities';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { currentSession } from '../../account/session/session.ts';
import { errorText } from '../../lib/texts/error-text.ts';
import { Button, Dots, LinkButton } from '../../ui/base/button.tsx';
import { Banner } from '../../ui/states/banner.tsx';
import type { NewFolder } from './create-folder.ts';
import { DetailsCard } from './details-card.tsx';
import { emptyDraft, type FolderDraft, type Prefill } from './folder-draft.ts';
import type { FieldName } from './folder-fields.ts';
import { deleteDraft, keepDraft, keptDraft } from './kept-draft.ts';
import { LifetimeCard } from './lifetime-card.tsx';
import { PassphraseCard } from './passphrase-card.tsx';
import { ProtectionCard } from './protection-card.tsx';
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

/** The form for a new folder (§2 /upload, DESIGN R9). */
export function CreateFolderForm({ userId, limits, prefill, intentId, onCreated, zone }: CreateFolderFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const { folder_lifetime_hours: maxHours } = limits;
  const [draft, setDraft] = useState(() => keptDraft(emptyDraft(maxHours, prefill), maxHours, userId, intentId));
  useEffect(() => keepDraft(draft, userId, intentId), [draft, userId, intentId]);
  // Leaving for another page discards the draft; the sign-in and back keeps it.
  useEffect(() => () => void (currentSession().state === 'in' && deleteDraft()), []);
  const focusField = (name: FieldName) => {
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
  const card = { draft, errors, onChange: change };
  return (
    <form
      ref={form}
      noValidate
      className="mt-8 grid grid-cols-1 gap-4 lg:grid-cols-[1fr_21rem] lg:gap-6"
      onSubmit={submit}
    >
      <div className="grid min-w-0 grid-cols-1 content-start gap-4">
        {zone(draft)}
        <DetailsCard {...card} />
        {draft.encrypt && <PassphraseCard {...card} />}
      </div>
      <div className="grid content-start gap-4">
        <ProtectionCard {...card} />
        <LifetimeCard
          limits={limits}
          hours={draft.lifetimeHours}
          asked={prefill.lifetimeHours}
          error={errors.lifetime}
          onChange={(lifetimeHours) => change({ lifetimeHours })}
        />
        {refused && (
          <Banner tone="danger" action={refused.code === 'folder.too_many' && <ToFolders />}>
            <b className="font-semibold">
              <Trans>The folder was not created.</Trans>
            </b>{' '}
            {errorText(refused)}
          </Banner>
        )}
        <Button type="submit" tone="primary" size="xl" busy={busy} aria-disabled={busy}>
          {busy ? <Trans>Creating folder...</Trans> : <Trans>Create Folder</Trans>}
          {busy && <Dots label="" />}
        </Button>
      </div>
    </form>
  );
}
