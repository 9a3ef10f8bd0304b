import { ROLE_BADGE, type Role } from '@satchel/contract/roles';
import { CloudDownload, Crown, Eye, Globe, KeyRound, LockOpen } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '../lib/class-names.ts';

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
  owner: ['accent', Crown],
  viewer: ['info', Eye],
  public: ['neutral', Globe],
} as const;

/** Who the visitor is to the folder (§2). */
export function AccessBadge({ role }: { role: Role }) {
  const [tone, Icon] = access[role];
  return (
    <Badge tone={tone} icon={<Icon size={13} aria-hidden />}>
      {ROLE_BADGE[role]}
    </Badge>
  );
}

/** What can be done with an encrypted file here (§2, DESIGN-UX §8). */
export type KeyState = 'cached' | 'api' | 'none';

export const KEY_BADGES = {
  cached: {
    label: 'Cached',
    tone: 'success',
    Icon: LockOpen,
    help: 'Decrypted in this browser and kept in memory until you close the tab or leave it unused for 10 minutes.',
  },
  api: {
    label: 'API',
    tone: 'info',
    Icon: CloudDownload,
    help: 'Encrypted on the server. It is fetched and decrypted here, with the key of this folder.',
  },
  none: {
    label: 'No Key',
    tone: 'warning',
    Icon: KeyRound,
    help: 'Encrypted, and this browser has no key. Ask the owner for the full link, with the part after the # sign.',
  },
} as const satisfies Record<KeyState, unknown>;

export function KeyBadge({ state, className }: { state: KeyState; className?: string }) {
  const { label, tone, Icon } = KEY_BADGES[state];
  return (
    <Badge tone={tone} icon={<Icon size={13} aria-hidden />} className={className}>
      {label}
    </Badge>
  );
}
