import { Trans, useLingui } from '@lingui/react/macro';
import type { ProfileOutput } from '@satchel/contract/api';
import { Bug, Code, type LucideIcon, Shield, ShieldCheck, Sparkles, Star } from 'lucide-react';
import type { ReactNode } from 'react';
import { bytes, localDate } from '../../lib/figures/format.ts';
import { Card } from '../../ui/sections/card.tsx';
import { Badge } from '../../ui/states/badge.tsx';
import { StitchBar } from '../../ui/states/stitch-bar.tsx';
import { accentHex, type BadgeKind, badgesOf, tierText, usernameOf } from './profile-model.ts';

const Rows = ({ children }: { children: ReactNode }) => <dl className="mt-3 grid gap-2.5 text-sm">{children}</dl>;

const Row = ({ name, children }: { name: ReactNode; children: ReactNode }) => (
  <div className="flex items-baseline justify-between gap-4">
    <dt className="shrink-0 text-muted">{name}</dt>
    <dd className="min-w-0 text-right wrap-anywhere tabular">{children}</dd>
  </div>
);

/** Below 90 % there is room; a full account accepts no more uploads. */
const storageTone = (percent: number) => (percent < 90 ? 'accent' : percent < 100 ? 'warning' : 'danger');

function StorageRow({ profile }: { profile: ProfileOutput }) {
  const { t } = useLingui();
  const usedBytes = profile.used_bytes + profile.reserved_bytes;
  const { storage_bytes: storageBytes } = profile.limits;
  const percent = (100 * usedBytes) / storageBytes;
  const [used, limit] = [bytes(usedBytes, storageBytes), bytes(storageBytes)];
  return (
    <div className="mt-4 border-t border-line pt-4">
      <p className="mb-2.5 flex items-baseline justify-between gap-4 text-sm">
        <span className="text-muted">
          <Trans>Storage</Trans>
        </span>
        <span className="tabular">
          <Trans>
            {used} of {limit}
          </Trans>
        </span>
      </p>
      <StitchBar value={percent} tone={storageTone(percent)} label={t`Storage used`} />
    </div>
  );
}

const ICONS: Record<BadgeKind, LucideIcon> = {
  staff: ShieldCheck,
  house: Shield,
  bugs: Bug,
  code: Code,
  early: Star,
  other: Sparkles,
};

function Badges({ flags }: { flags: number }) {
  const { t } = useLingui();
  const badges = badgesOf(flags);
  if (badges.length === 0) return null;
  return (
    <Card title={<Trans>Badges</Trans>} className="p-5">
      <ul className="mt-3 flex flex-wrap gap-1.5">
        {badges.map(({ bit, label, kind }) => {
          const Icon = ICONS[kind];
          return (
            <li key={bit}>
              <Badge icon={<Icon size={13} aria-hidden />}>{t(label)}</Badge>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

const AccentColor = ({ accent }: { accent: string }) => (
  <span className="inline-flex items-baseline gap-2 font-mono text-xs">
    <span
      className="size-3.5 self-center rounded-[4px] shadow-[0_0_0_1px_var(--line)] forced-color-adjust-none"
      style={{ background: accent }}
    />
    {accent}
  </span>
);

export function ProfileFacts({ profile, email }: { profile: ProfileOutput; email: string | null }) {
  return (
    <div className="grid content-start gap-4">
      <Card title={<Trans>Account Details</Trans>} className="p-5">
        <Rows>
          <Row name={<Trans>E-mail</Trans>}>{email ?? <Trans>None on Discord</Trans>}</Row>
          <Row name={<Trans>Plan</Trans>}>{tierText(profile.subscription_tier)}</Row>
          <Row name={<Trans>Member since</Trans>}>{localDate(profile.created_at)}</Row>
        </Rows>
        <StorageRow profile={profile} />
      </Card>
      <Card title={<Trans>Discord Profile</Trans>} className="p-5">
        <Rows>
          <Row name={<Trans>Username</Trans>}>{usernameOf(profile) ?? <Trans>Unknown</Trans>}</Row>
          <Row name={<Trans>User ID</Trans>}>
            <span className="font-mono text-xs">{profile.discord_id}</span>
          </Row>
          {profile.accent_color !== null && (
            <Row name={<Trans>Accent color</Trans>}>
              <AccentColor accent={accentHex(profile.accent_color)} />
            </Row>
          )}
        </Rows>
      </Card>
      <Badges flags={profile.discord_public_flags} />
    </div>
  );
}
