import { Trans, useLingui } from '@lingui/react/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import { useState } from 'react';
import { useOwnLimits } from '../../account/own-data/own-account.ts';
import { useNow } from '../../lib/browser/hooks.ts';
import { countdownSpoken, hoursText, localDateTime, localDayTime } from '../../lib/figures/format.ts';
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
import { SettingsForm } from './settings-form.tsx';
import { type Saving, useSaveSettings } from './use-save-settings.ts';

interface LifetimeSettingsProps {
  folder: FolderCompleteData;
  onSaved: () => void;
}

const readChoice = (value: string): EndChoice => (value === 'keep' || value === 'latest' ? value : Number(value));

interface EndFieldProps {
  choice: EndChoice;
  times: FolderTimes;
  nowMs: number;
  failure: Saving['failure'];
  onChange: (choice: EndChoice) => void;
}

function EndField({ choice, times, nowMs, failure, onChange }: EndFieldProps) {
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

/** The folder's end: earlier, or later within the limit (§9, DESIGN §5). */
export function LifetimeSettings({ folder, onSaved }: LifetimeSettingsProps) {
  const { t } = useLingui();
  const [choice, setChoice] = useState<EndChoice>('keep');
  const [asking, setAsking] = useState(false);
  const { save, forgive, ...saving } = useSaveSettings({ folderId: folder.folder_id, onSaved });
  const nowMs = useNow();
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
    const done = await save(
      { new_expires_at: new Date(endMs).toISOString() },
      () => t`This folder now ends on ${date}.`,
    );
    if (done) setChoice('keep');
  };
  const choose = (next: EndChoice) => {
    setChoice(next);
    forgive();
  };
  const leftMs = endMs - nowMs;
  const { failure } = saving;
  const form = {
    saving: { ...saving, failure: null },
    isDirty: choice !== 'keep',
    save: t`Save lifetime`,
    onSave: () => (endsTooSoon(endMs, times, nowMs) ? setAsking(true) : void store()),
  };
  return (
    <>
      <SettingsForm title={<Trans>Lifetime</Trans>} {...form}>
        <div className="flex items-start gap-4">
          <span className="mt-3">
            <StitchRing fraction={leftMs / (endMs - times.createdAtMs)} sizePx={56} tone={lifeTone(leftMs)} />
          </span>
          <div className="min-w-0 flex-1">
            <EndField choice={choice} times={times} nowMs={nowMs} failure={failure} onChange={choose} />
          </div>
        </div>
      </SettingsForm>
      {asking && <SoonQuestion leftMs={leftMs} onClose={() => setAsking(false)} onConfirm={store} />}
    </>
  );
}
