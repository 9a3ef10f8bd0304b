import { Trans, useLingui } from '@lingui/react/macro';
import { DISCORD_KEY_HOURS } from '@satchel/contract/limits';
import { KeyRound, ServerCog, TriangleAlert } from 'lucide-react';
import { hoursText } from '../../lib/figures/format.ts';
import { Switch } from '../../ui/forms/field.tsx';
import { type FolderDraft, linkModeOf } from './folder-draft.ts';
import type { CardProps } from './folder-fields.ts';

type Draft = Pick<CardProps, 'draft'>;

function Headline({ draft }: Draft) {
  const mode = linkModeOf(draft);
  if (mode === 'plain') return <Trans>Our server can read these files.</Trans>;
  if (mode === 'discord') return <Trans>Our server can read these files while this is on.</Trans>;
  return draft.wantsPassphrase ? (
    <Trans>Only your link with its passphrase opens these files.</Trans>
  ) : (
    <Trans>Only your link opens these files.</Trans>
  );
}

const Names = ({ draft }: Draft) =>
  draft.hideNames ? (
    <Trans>
      Our server sees how many files there are, how big they are and when they came, not what they are called.
    </Trans>
  ) : (
    <Trans>Our server sees file names, types, sizes and times, but not what is inside.</Trans>
  );

function Consequence({ draft }: Draft) {
  const mode = linkModeOf(draft);
  const keyLife = hoursText(DISCORD_KEY_HOURS);
  if (mode === 'plain') return <Trans>So can anyone who has the link. Names stay readable, too.</Trans>;
  if (mode === 'private') {
    return (
      <>
        <Names draft={draft} /> <Trans>Lose the link and this device, and nobody can open them, including us.</Trans>
      </>
    );
  }
  return (
    <Trans>
      It holds the key, locked away, for at most {keyLife}, and hands it to everyone who has the link. You can turn this
      off again at any time; a key that was copied meanwhile stays copied.
    </Trans>
  );
}

/** What the server can see of such a folder, in plain words (DESIGN R1, CONTAINER §2). */
function Visibility({ draft }: { draft: FolderDraft }) {
  const mode = linkModeOf(draft);
  const Icon = { plain: ServerCog, private: KeyRound, discord: TriangleAlert }[mode];
  return (
    <div
      aria-live="polite"
      className={`flex gap-3 rounded-control p-3.5 text-xs text-muted ${mode === 'private' ? 'bg-sunken' : 'bg-warning-soft'}`}
    >
      <Icon size={16} aria-hidden className="mt-px shrink-0" />
      <p>
        <b className="font-semibold text-ink">
          <Headline draft={draft} />
        </b>{' '}
        <Consequence draft={draft} />
      </p>
    </div>
  );
}

/** Encryption, link type and readable names. */
export function ProtectionCard({ draft, onChange }: CardProps) {
  const { t } = useLingui();
  return (
    <section aria-label={t`Protection`} className="card grid gap-5 p-5">
      <Switch
        label={t`Encrypt files`}
        hint={t`Sealed in this browser before upload.`}
        checked={draft.encrypt}
        onCheckedChange={(encrypt) => onChange({ encrypt })}
      />
      {draft.encrypt && (
        <>
          <Switch
            label={t`Hide file names`}
            hint={t`Names and types are sealed, too. Only the link shows them.`}
            checked={draft.hideNames}
            onCheckedChange={(hideNames) => onChange({ hideNames })}
          />
          <Switch
            label={t`Discord link`}
            hint={t`The short link alone opens the folder, and /share works.`}
            checked={draft.discordLink}
            onCheckedChange={(discordLink) => onChange({ discordLink })}
          />
        </>
      )}
      <Visibility draft={draft} />
    </section>
  );
}
