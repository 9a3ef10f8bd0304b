import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import type { Role } from '@satchel/contract/roles';
import { CloudDownload, Crown, Eye, Globe, KeyRound, Link2Off, LockOpen } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '../../lib/base/class-names.ts';

const tones = {
  neutral: 'bg-raised text-muted',
  accent: 'bg-accent-soft text-accent-text',
  success: 'bg-success-soft text-success',
  info: 'bg-info-soft text-info',
  warning: 'bg-warning-soft text-warning',
  danger: 'bg-danger-soft text-danger',
} as const;
export type BadgeTone = keyof typeof tones;

interface BadgeProps {
  tone?: BadgeTone;
  icon?: ReactNode;
  className?: string | undefined;
  children: ReactNode;
}

export const Badge = ({ tone = 'neutral', icon, children, className }: BadgeProps) => (
  <span
    className={cx(
      'badge inline-flex h-6 items-center gap-1.5 whitespace-nowrap rounded-chip px-2 text-2xs font-medium',
      tones[tone],
      className,
    )}
  >
    {icon}
    {children}
  </span>
);

const access = {
  owner: { label: msg`Owner`, tone: 'accent', Icon: Crown },
  viewer: { label: msg`Viewer`, tone: 'info', Icon: Eye },
  public: { label: msg`Public`, tone: 'neutral', Icon: Globe },
} as const satisfies Record<Role, unknown>;

/** Who the visitor is to the folder. */
export function AccessBadge({ role }: { role: Role }) {
  const { t } = useLingui();
  const { label, tone, Icon } = access[role];
  return (
    <Badge tone={tone} icon={<Icon size={13} aria-hidden />}>
      {t(label)}
    </Badge>
  );
}

/** To the owner: people who come now can't open the files. */
export const RevokedBadge = () => (
  <Badge tone="danger" icon={<Link2Off size={13} aria-hidden />}>
    <Trans>Link revoked</Trans>
  </Badge>
);

/** What can be done with an encrypted file here. */
export type KeyState = 'cached' | 'api' | 'none';

const keyBadges: Record<
  KeyState,
  { label: MessageDescriptor; tone: BadgeTone; Icon: typeof LockOpen; help: MessageDescriptor }
> = {
  cached: {
    label: msg`Cached`,
    tone: 'success',
    Icon: LockOpen,
    help: msg`Decrypted here and kept in memory until you close the tab or leave the file unused for 10 minutes.`,
  },
  api: {
    label: msg`API`,
    tone: 'info',
    Icon: CloudDownload,
    help: msg`Encrypted on the server. It is fetched and decrypted here, with the key of this folder.`,
  },
  none: {
    label: msg`No Key`,
    tone: 'warning',
    Icon: KeyRound,
    help: msg`Encrypted, and this browser has no key for it yet. See above the files how to open it.`,
  },
};

/** What a badge means, in a sentence. */
export function KeyHelp({ state }: { state: KeyState }) {
  const { t } = useLingui();
  return <>{t(keyBadges[state].help)}</>;
}

/** The same without the weight of a badge: an icon, and its words for screen readers. */
export function KeyMark({ state }: { state: KeyState }) {
  const { t } = useLingui();
  const { label, Icon } = keyBadges[state];
  return (
    <span title={t(label)} className="ml-1.5 inline-block align-[-2px] text-subtle">
      <Icon size={12} strokeWidth={1.75} aria-hidden />
      <span className="sr-only">{t(label)}</span>
    </span>
  );
}

export function KeyBadge({ state, className }: { state: KeyState; className?: string }) {
  const { t } = useLingui();
  const { label, tone, Icon } = keyBadges[state];
  return (
    <Badge tone={tone} icon={<Icon size={13} aria-hidden />} className={className}>
      {t(label)}
    </Badge>
  );
}
