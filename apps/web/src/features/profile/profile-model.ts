import type { MessageDescriptor } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import type { Profile } from '@satchel/contract/entities';

export type BadgeKind = 'staff' | 'house' | 'bugs' | 'code' | 'early' | 'other';

export interface ProfileBadge {
  readonly bit: number;
  readonly label: MessageDescriptor;
  readonly kind: BadgeKind;
}

/** The badge that the header shows as well. */
export const HEADER_BADGE: ProfileBadge = { bit: 512, label: msg`Early Supporter`, kind: 'early' };

/** Discord's public flags that have a badge. */
const BADGES: readonly ProfileBadge[] = [
  { bit: 1, label: msg`Discord Employee`, kind: 'staff' },
  { bit: 2, label: msg`Partnered Server Owner`, kind: 'staff' },
  { bit: 4, label: msg`HypeSquad Events`, kind: 'other' },
  { bit: 8, label: msg`Bug Hunter Level 1`, kind: 'bugs' },
  { bit: 64, label: msg`House Bravery`, kind: 'house' },
  { bit: 128, label: msg`House Brilliance`, kind: 'house' },
  { bit: 256, label: msg`House Balance`, kind: 'house' },
  HEADER_BADGE,
  { bit: 1024, label: msg`Team User`, kind: 'other' },
  { bit: 16384, label: msg`Bug Hunter Level 2`, kind: 'bugs' },
  { bit: 131072, label: msg`Early Bot Developer`, kind: 'code' },
  { bit: 4194304, label: msg`Active Developer`, kind: 'code' },
];

/** The badges of a bitmask, in bit order. */
export const badgesOf = (flags: number): readonly ProfileBadge[] => BADGES.filter(({ bit }) => hasFlag(flags, bit));

/** Division instead of `&`, which uses 32 bits: Discord has more flags. */
const hasFlag = (flags: number, bit: number): boolean => Math.floor(flags / bit) % 2 === 1;

type Names = Pick<Profile, 'discord_global_name' | 'name' | 'discord_username'>;

/** Global name, else name, else username, else 'Unknown User'. */
export const displayNameOf = (names: Names): string =>
  names.discord_global_name || names.name || names.discord_username || t`Unknown User`;

type Handle = Pick<Profile, 'discord_username' | 'discord_discriminator'>;

/** `name#1234`, or `@name` when the discriminator is missing or '0'; null without a username. */
export function usernameOf({
  discord_username: username,
  discord_discriminator: discriminator,
}: Handle): string | null {
  if (!username) return null;
  return discriminator && discriminator !== '0' ? `${username}#${discriminator}` : `@${username}`;
}

/** A 24-bit RGB integer as a colour: 3105106 is `#2f6152`. */
export const accentHex = (accentColor: number): string => `#${(accentColor & 0xffffff).toString(16).padStart(6, '0')}`;

/** The name of a subscription tier: `free` is `Free`, in the page's language; an unknown tier shows its id. */
export const tierText = (tier: string): string =>
  tier === 'free' ? t({ message: 'Free', context: 'subscription tier' }) : tier.charAt(0).toUpperCase() + tier.slice(1);
