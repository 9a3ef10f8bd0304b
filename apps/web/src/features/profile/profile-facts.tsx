import type { Profile } from '@satchel/contract/entities';
import { Bug, Code, Shield, Sparkles, Star } from 'lucide-react';
import type { ReactNode } from 'react';
import { bytes, limitText, localDate } from '../../lib/format.ts';
import { settings } from '../../lib/settings.ts';
import { Badge } from '../../ui/badge.tsx';
import { StitchBar } from '../../ui/stitch.tsx';
import { accentHex, badgesOf, tierText, usernameOf } from './profile-model.ts';

const Group = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="card p-5">
    <h2 className="text-base font-semibold">{title}</h2>
    <dl className="mt-3 grid gap-2.5 text-sm">{children}</dl>
  </section>
);

const Row = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex items-baseline justify-between gap-4">
    <dt className="shrink-0 text-muted">{name}</dt>
    <dd className="min-w-0 text-right wrap-anywhere tabular">{children}</dd>
  </div>
);

function StorageRow({ profile }: { profile: Profile }) {
  const usedBytes = profile.used_bytes + profile.reserved_bytes;
  const limitBytes = settings.free_storage_bytes;
  return (
    <>
      <Row name="Storage">
        {bytes(usedBytes)} of {limitText(limitBytes)}
      </Row>
      <div>
        <dt className="sr-only">Storage used</dt>
        <dd>
          <StitchBar value={(100 * usedBytes) / limitBytes} label="Storage used" />
        </dd>
      </div>
    </>
  );
}

function badgeIcon(name: string) {
  if (name.startsWith('House')) return Shield;
  if (name.includes('Bug')) return Bug;
  if (name.includes('Developer')) return Code;
  return name.includes('Early') ? Star : Sparkles;
}

function Badges({ flags }: { flags: number }) {
  const names = badgesOf(flags);
  if (names.length === 0) return null;
  return (
    <section className="card p-5">
      <h2 className="text-base font-semibold">Badges</h2>
      <ul className="mt-3 flex flex-wrap gap-1.5">
        {names.map((name) => {
          const Icon = badgeIcon(name);
          return (
            <li key={name}>
              <Badge icon={<Icon size={13} aria-hidden />}>{name}</Badge>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

export function ProfileFacts({ profile, email }: { profile: Profile; email: string | null }) {
  const accent = profile.accent_color === null ? null : accentHex(profile.accent_color);
  return (
    <div className="grid content-start gap-4">
      <Group title="Account Details">
        <Row name="E-mail">{email ?? 'None on Discord'}</Row>
        <Row name="Plan">{tierText(profile.subscription_tier)}</Row>
        <Row name="Member since">{localDate(profile.created_at)}</Row>
        <StorageRow profile={profile} />
      </Group>
      <Group title="Discord Profile">
        <Row name="Username">{usernameOf(profile) ?? 'Unknown'}</Row>
        <Row name="User ID">
          <span className="font-mono text-xs">{profile.discord_id}</span>
        </Row>
        {accent && (
          <Row name="Accent color">
            <span className="inline-flex items-center gap-2 font-mono text-xs">
              <span className="size-3.5 rounded-[4px]" style={{ background: accent }} />
              {accent}
            </span>
          </Row>
        )}
      </Group>
      <Badges flags={profile.discord_public_flags} />
    </div>
  );
}
