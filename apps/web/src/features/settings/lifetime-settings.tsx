import { Trans, useLingui } from '@lingui/react/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import { type FormEvent, type MouseEvent, useState } from 'react';
import { useOwnLimits } from '../../account/own-data/own-account.ts';
import { useNow } from '../../lib/browser/hooks.ts';
import { countdownSpoken, hoursText, localDateTime, localDayTime } from '../../lib/figures/format.ts';
import { errorText } from '../../lib/texts/error-text.ts';
import { Button } from '../../ui/base/button.tsx';
import { lifeTone, StitchRing } from '../../ui/base/stitch.tsx';
import { ConfirmDialog } from '../../ui/dialogs/dialog.tsx';
import { SelectField } from '../../ui/forms/field.tsx';
import {
  canExtend,
  chosenEndMs,
  type EndChoice,
  endsTooSoon,
  type FolderTimes,
  hoursToChoose,
  latestEndMs,
} from './lifetime-choices.ts';
import { useSaveSettings } from './use-save-settings.ts';

interface LifetimeSettingsProps {
  folder: FolderCompleteData;
  /** The database's clock minus this device's, in milliseconds. */
  clockOffsetMs: number;
  onSaved: () => void;
}

const readChoice = (value: string): EndChoice => (value === 'keep' || value === 'latest' ? value : Number(value));

interface EndFieldProps {
  choice: EndChoice;
  times: FolderTimes;
  nowMs: number;
  error: string | undefined;
  onChange: (choice: EndChoice) => void;
}

function EndField({ choice, times, nowMs, error, onChange }: EndFieldProps) {
  const { t } = useLingui();
  const longest = hoursText(times.lifetimeHours);
  // Short enough for a phone's width.
  const now = localDayTime(times.expiresAtMs);
  const latest = localDayTime(latestEndMs(times));
  const labelOf = (hours: number) => {
    const duration = hoursText(hours);
    return t`In ${duration}`;
  };
  return (
    <SelectField
      label={t`Ends`}
      value={choice}
      onChange={(event) => onChange(readChoice(event.target.value))}
      hint={t`A folder lives for at most ${longest}. When it ends, its files and its key are deleted.`}
      error={error}
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
  );
}

interface SoonQuestionProps {
  leftMs: number;
  busy: boolean;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onConfirm: (event: MouseEvent) => void;
}

function SoonQuestion({ leftMs, busy, open, onOpenChange, onConfirm }: SoonQuestionProps) {
  const { t } = useLingui();
  const left = countdownSpoken(leftMs);
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      title={t`End this folder so soon?`}
      description={
        <p>
          <Trans>
            It would end in {left}. From then on nobody can open its files, and they are deleted. You can give it more
            time only until then.
          </Trans>
        </p>
      }
      cancel={
        <Button size="lg">
          <Trans>Cancel</Trans>
        </Button>
      }
      action={
        <Button size="lg" tone="danger" busy={busy} aria-disabled={busy} onClick={onConfirm}>
          <Trans>Yes, Shorten</Trans>
        </Button>
      }
    />
  );
}

function useLifetime({ folder, clockOffsetMs, onSaved }: LifetimeSettingsProps) {
  const { t } = useLingui();
  const [choice, setChoice] = useState<EndChoice>('keep');
  const [asking, setAsking] = useState(false);
  const { busy, failure, save, forgive } = useSaveSettings({ folderId: folder.folder_id, onSaved });
  const nowMs = useNow() + clockOffsetMs;
  // Only the owner has this tab.
  const { limits } = useOwnLimits(folder.folder_owner_profile_id);
  const times: FolderTimes = {
    createdAtMs: Date.parse(folder.folder_created_at),
    expiresAtMs: Date.parse(folder.folder_expires_at),
    lifetimeHours: limits.folder_lifetime_hours,
  };
  const endMs = chosenEndMs(choice, times, nowMs);
  const store = async () => {
    const date = localDateTime(endMs);
    const done = await save({ new_expires_at: new Date(endMs).toISOString() }, t`This folder now ends on ${date}.`);
    setAsking(false);
    if (done) setChoice('keep');
  };
  return {
    choice,
    choose: (next: EndChoice) => {
      setChoice(next);
      forgive();
    },
    nowMs,
    times,
    endMs,
    busy,
    failure,
    asking,
    setAsking,
    store,
    ask: () => (endsTooSoon(endMs, times, nowMs) ? setAsking(true) : void store()),
  };
}

/** The folder's end: earlier, or later within the limit (§9, DESIGN §5). */
export function LifetimeSettings(props: LifetimeSettingsProps) {
  const { choice, choose, nowMs, times, endMs, busy, failure, asking, setAsking, store, ask } = useLifetime(props);
  const leftMs = endMs - nowMs;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!busy && choice !== 'keep') ask();
  };
  const confirm = (event: MouseEvent) => {
    // The dialog stays open until the server answers.
    event.preventDefault();
    if (!busy) void store();
  };
  return (
    <section aria-labelledby="lifetime-settings" className="card p-5 sm:p-6">
      <h2 id="lifetime-settings" className="text-base font-semibold">
        <Trans>Lifetime</Trans>
      </h2>
      <form className="mt-4 grid max-w-lg gap-4" onSubmit={submit}>
        <div className="flex items-start gap-4">
          <span className="mt-3">
            <StitchRing fraction={leftMs / (endMs - times.createdAtMs)} sizePx={56} tone={lifeTone(leftMs)} />
          </span>
          <div className="min-w-0 flex-1">
            <EndField
              choice={choice}
              times={times}
              nowMs={nowMs}
              error={failure ? errorText(failure) : undefined}
              onChange={choose}
            />
          </div>
        </div>
        <div>
          <Button type="submit" busy={busy} disabled={choice === 'keep'} aria-disabled={busy}>
            {busy ? <Trans>Saving...</Trans> : <Trans>Save lifetime</Trans>}
          </Button>
        </div>
      </form>
      <SoonQuestion leftMs={leftMs} busy={busy} open={asking} onOpenChange={setAsking} onConfirm={confirm} />
    </section>
  );
}
