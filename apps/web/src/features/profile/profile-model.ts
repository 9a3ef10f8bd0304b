import type { Profile } from '@satchel/contract/entities';

/** Discord's public flags that have a badge (§9). */
const BADGES: readonly (readonly [bit: number, name: string])[] = [
  [1, 'Discord Employee'],
  [2, 'Partnered Server Owner'],
  [4, 'HypeSquad Events'],
  [8, 'Bug Hunter Level 1'],
  [64, 'House Bravery'],
  [128, 'House Brilliance'],
  [256, 'House Balance'],
  [512, 'Early Supporter'],
  [1024, 'Team User'],
  [16384, 'Bug Hunter Level 2'],
  [131072, 'Early Bot Developer'],
  [4194304, 'Active Developer'],
];

/** The badge that the header shows as well (§9). */
export const HEADER_BADGE = 'Early Supporter';

/** Names of the badges in a bitmask, in the order of their bits. */
export const badgesOf = (flags: number): string[] =>
  BADGES.filter(([bit]) => (flags & bit) !== 0).map(([, name]) => name);

type Names = Pick<Profile, 'discord_global_name' | 'name' | 'discord_username'>;

/** Global name, else name, else username, else 'Unknown User' (§9). */
export const displayNameOf = (names: Names): string =>
  names.discord_global_name || names.name || names.discord_username || 'Unknown User';

type Handle = Pick<Profile, 'discord_username' | 'discord_discriminator'>;

/** `name#1234`, or `@name` when the discriminator is missing or '0' (§9); null without a username. */
export function usernameOf({
  discord_username: username,
  discord_discriminator: discriminator,
}: Handle): string | null {
  if (!username) return null;
  return discriminator && discriminator !== '0' ? `${username}#${discriminator}` : `@${username}`;
}

/** A 24-bit RGB integer as a colour (§9): 3105106 is `#2f6152`. */
export const accentHex = (accentColor: number): string => `#${(accentColor & 0xffffff).toString(16).padStart(6, '0')}`;

/** A subscription tier as a word: `free` is `Free`. */
export const tierText = (tier: string): string => tier.charAt(0).toUpperCase() + tier.slice(1);
