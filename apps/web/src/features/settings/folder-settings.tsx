import { Trans, useLingui } from '@lingui/react/macro';
import { pinNames } from '@satchel/client/keys/trust-answer';
import type { FolderCompleteData } from '@satchel/contract/api';
import { FOLDER_DESCRIPTION_MAX, FOLDER_NAME_MAX } from '@satchel/contract/limits';
import { Check } from 'lucide-react';
import { type FormEvent, useEffect, useState } from 'react';
import { useOwnLimits } from '../../account/own-data/own-account.ts';
import { changePin, recallFolder } from '../../engine/keys/key-store.ts';
import { cx } from '../../lib/base/class-names.ts';
import { useNow } from '../../lib/browser/hooks.ts';
import { countdownSpoken, hoursText, localDateTime, localDayTime } from '../../lib/figures/format.ts';
import { Button } from '../../ui/base/button.tsx';
import { lifeTone, StitchRing } from '../../ui/base/stitch.tsx';
import { ConfirmDialog } from '../../ui/dialogs/dialog.tsx';
import { SelectField, Switch, TextArea, TextField } from '../../ui/forms/field.tsx';
import { Card } from '../../ui/sections/card.tsx';
import {
  canExtend,
  chosenEndMs,
  type EndChoice,
  endsTooSoon,
  type FolderTimes,
  hoursToChoose,
  latestEndMs,
} from './lifetime-choices.ts';
import { draftOf, isSameDraft, type SettingsDraft, tidy } from './settings-draft.ts';
import { useSaveSettings } from './use-save-settings.ts';

const nameOf = ({ folder_id: folderId, folder_slug: slug }: FolderCompleteData) => ({ folderId, slug });

/** Unsaved values by folder, restored when the owner returns to this tab. */
const unsaved = new Map<string, { readonly base: SettingsDraft; readonly draft: SettingsDraft }>();

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
    change: (part: Partial<SettingsDraft>) => setDraft((before) => ({ ...before, ...part })),
    discard: () => setDraft(base),
    kept: () => {
      const saved = { ...tidy(draft), end: base.end };
      setBase(saved);
      setDraft(saved);
    },
  };
}

interface PartProps {
  draft: SettingsDraft;
  onChange: (part: Partial<SettingsDraft>) => void;
}

/** Name, description, hidden names of new files, and the folder's name in link previews. */
function General({ draft, onChange, mode }: PartProps & { mode: FolderCompleteData['folder_link_mode'] }) {
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

const readChoice = (value: string): EndChoice => (value === 'keep' || value === 'latest' ? value : Number(value));

interface LifetimeProps extends PartProps {
  times: FolderTimes;
  nowMs: number;
  failure: string | null;
}

/** The folder's end: earlier, or later within the limit. */
function Lifetime({ draft, onChange, times, nowMs, failure }: LifetimeProps) {
  const { t } = useLingui();
  const leftMs = chosenEndMs(draft.end, times, nowMs) - nowMs;
  const longest = hoursText(times.lifetimeHours);
  // Short enough for a phone's width.
  const now = localDayTime(times.expiresAtMs);
  const latest = localDayTime(latestEndMs(times));
  const labelOf = (hours: number) => {
    const duration = hoursText(hours);
    return t`In ${duration}`;
  };
  const lifeMs = leftMs + nowMs - times.createdAtMs;
  return (
    <div className="flex items-start gap-4">
      <span className="mt-3">
        <StitchRing fraction={leftMs / lifeMs} sizePx={56} tone={lifeTone(leftMs)} />
      </span>
      <div className="min-w-0 flex-1">
        <SelectField
          label={t`Ends`}
          value={draft.end}
          onChange={(event) => onChange({ end: readChoice(event.target.value) })}
          hint={t`A folder lives for at most ${longest}. When it ends, its files and its key are deleted.`}
          error={failure ?? undefined}
        >
          <option value="keep">{t`As now: ${now}`}</option>
          {canExtend(times) && <option value="latest">{t`Latest: ${latest}`}</option>}
          {hoursToChoose(times, nowMs)
            .toReversed()
            .map((hours) => (
              <option key={hours} value={hours}>
                {labelOf(hours)}
              </option>
            ))}
        </SelectField>
      </div>
    </div>
  );
}

/** Whether the link alone opens the folder, or a grant is asked for as well. */
function Access({ draft, onChange, isChanged }: PartProps & { isChanged: boolean }) {
  const { t } = useLingui();
  return (
    <>
      <Switch
        label={t`Only people invited in Discord`}
        hint={
          draft.restricts
            ? t`The link alone then opens nothing: others read “Folder Not Found”. They get in with Open on a card that /share posts in Discord. You always get in when you are signed in.`
            : t`Off: anyone with the link gets in. On: people also have to click Open on a card that /share posts in Discord.`
        }
        checked={draft.restricts}
        onCheckedChange={(restricts) => onChange({ restricts })}
      />
      {isChanged && draft.restricts && (
        <p className="text-xs text-warning">
          <Trans>
            People who have the folder open now are shut out, and so are all who were let in earlier. Earlier cards in
            Discord no longer open it. What people have downloaded stays with them.
          </Trans>
        </p>
      )}
    </>
  );
}

interface SoonQuestionProps {
  leftMs: number;
  onClose: () => void;
  onConfirm: () => Promise<void>;
}

function SoonQuestion({ leftMs, ...acts }: SoonQuestionProps) {
  const { t } = useLingui();
  const left = countdownSpoken(leftMs);
  return (
    <ConfirmDialog
      title={t`End this folder so soon?`}
      description={
        <p>
          <Trans>
            The folder would end in {left}. Its files can’t be opened any more then, and are deleted. You can give the
            folder more time only until then.
          </Trans>
        </p>
      }
      yes={t`Yes, Shorten`}
      {...acts}
    />
  );
}

const FIELDS = 'mt-4 grid max-w-lg gap-4';

interface FolderSettingsProps {
  folder: FolderCompleteData;
  onSaved: () => void;
}

/** What the owner sets of a folder beside its link: one form, saved at once. */
export function FolderSettings({ folder, onSaved }: FolderSettingsProps) {
  const { t } = useLingui();
  const { base, draft, isDirty, change, discard, kept } = useDraft(folder);
  const { save, forgive, busy, failure } = useSaveSettings({ folderId: folder.folder_id, onSaved });
  const [isSaved, setSaved] = useState(false);
  const [asking, setAsking] = useState(false);
  const nowMs = useNow();
  // Only the owner has this tab.
  const { limits } = useOwnLimits(folder.folder_owner_profile_id);
  const times: FolderTimes = {
    createdAtMs: Date.parse(folder.folder_created_at),
    expiresAtMs: Date.parse(folder.folder_expires_at),
    lifetimeHours: limits.folder_lifetime_hours,
  };
  const endMs = chosenEndMs(draft.end, times, nowMs);
  const isEndChanged = draft.end !== base.end;
  const isAccessChanged = draft.restricts !== base.restricts;
  const isHidingChanged = draft.hideNames !== base.hideNames;
  const store = async () => {
    const { name, description, hideNames, showName, restricts } = tidy(draft);
    const date = localDateTime(endMs);
    const changes = {
      new_name: name || null,
      new_description: description || null,
      new_show_name_in_previews: showName,
      // Sends only the choices that this person changed, to keep other changes on the server.
      ...(isHidingChanged && { new_hide_names: hideNames }),
      ...(isEndChanged && { new_expires_at: new Date(endMs).toISOString() }),
      ...(isAccessChanged && { new_access: restricts ? ('restricted' as const) : ('link' as const) }),
    };
    const told = [
      ...(isEndChanged ? [() => t`This folder now ends on ${date}.`] : []),
      ...(isAccessChanged
        ? [() => (restricts ? t`Only people invited in Discord get in now` : t`Anyone with the link gets in now`)]
        : []),
    ];
    const pin = () => pinNames({ changePin, recallFolder }, folder.folder_owner_profile_id, nameOf(folder), hideNames);
    const done = await save(
      changes,
      told.length > 0 ? told : [() => t`Folder details saved`],
      isHidingChanged ? pin : undefined,
    );
    if (done) kept();
    setSaved(done);
  };
  const edit = (part: Partial<SettingsDraft>) => {
    change(part);
    forgive();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (busy || !isDirty) return;
    if (isEndChanged && endsTooSoon(endMs, times, nowMs)) setAsking(true);
    else void store();
  };
  const part = { draft, onChange: edit };
  return (
    <>
      <form className="grid gap-4" onSubmit={submit}>
        <Card title={<Trans>General</Trans>}>
          <div className={FIELDS}>
            <General {...part} mode={folder.folder_link_mode} />
          </div>
        </Card>
        <Card title={<Trans>Lifetime</Trans>}>
          <div className={FIELDS}>
            <Lifetime {...part} times={times} nowMs={nowMs} failure={isEndChanged ? failure : null} />
          </div>
        </Card>
        <Card title={<Trans>More protection</Trans>}>
          <div className={FIELDS}>
            <Access {...part} isChanged={isAccessChanged} />
          </div>
        </Card>
        {/* In sight while there is something to save, wherever it was changed. */}
        <div className={cx('card px-5 py-4 sm:px-6', isDirty && 'sticky bottom-3 z-20 shadow-pop')}>
          {failure !== null && (
            <p className="mb-3 text-sm text-danger">
              <Trans>The changes were not saved.</Trans> {!isEndChanged && failure}
            </p>
          )}
          <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
            <Button type="submit" busy={busy} disabled={!isDirty} aria-disabled={busy}>
              {busy ? <Trans>Saving...</Trans> : <Trans>Save changes</Trans>}
            </Button>
            {isDirty && !busy && (
              <Button tone="ghost" onClick={discard}>
                <Trans>Discard</Trans>
              </Button>
            )}
            <p className="text-xs text-muted">
              {isDirty && !busy && <Trans>Unsaved changes</Trans>}
              {isSaved && !isDirty && (
                <span className="inline-flex items-center gap-1.5 text-success">
                  <Check size={15} aria-hidden />
                  <Trans>Saved</Trans>
                </span>
              )}
            </p>
          </div>
        </div>
      </form>
      {asking && <SoonQuestion leftMs={endMs - nowMs} onClose={() => setAsking(false)} onConfirm={store} />}
    </>
  );
}
