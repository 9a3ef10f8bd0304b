import type { Profile, User } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { eq } from 'drizzle-orm';
import type { Queryable, Tx } from '../platform/db.ts';
import type { DiscordUser } from '../platform/discord.ts';
import { bans, profiles } from '../platform/schema.ts';
import { ownPictures } from './pictures.ts';

export type ProfileRow = typeof profiles.$inferSelect;

/** Makes the profile of a Discord account at its first sign-in, and brings it up to date at every later one. */
export async function upsertProfile(db: Queryable, user: DiscordUser): Promise<ProfileRow> {
  const values = { ...user, name: user.discord_global_name ?? user.discord_username };
  const [profile] = await db
    .insert(profiles)
    .values(values)
    .onConflictDoUpdate({ target: profiles.discord_id, set: values })
    .returning();
  return profile!;
}

/** One's own profile. @throws auth.required when it is gone */
export async function profileById(db: Queryable, profileId: string): Promise<ProfileRow> {
  const [profile] = await db.select().from(profiles).where(eq(profiles.id, profileId));
  if (!profile) throw new AppError('auth.required');
  return profile;
}

/** Who somebody is at Discord; null when their profile is gone. */
export async function discordIdOf(db: Queryable, viewer: { readonly profile_id: string }): Promise<string | null> {
  const [profile] = await db
    .select({ discord_id: profiles.discord_id })
    .from(profiles)
    .where(eq(profiles.id, viewer.profile_id));
  return profile?.discord_id ?? null;
}

/**
 * Keeps a profile from being erased, its person from being banned, and whoever else holds it so waiting, until the
 * transaction ends: what is counted of theirs in it stays as it was counted.
 * @throws auth.required when it is gone, auth.banned
 */
export async function holdProfile(tx: Tx, profileId: string): Promise<void> {
  const [held] = await tx
    .select({ discord_id: profiles.discord_id })
    .from(profiles)
    .where(eq(profiles.id, profileId))
    .for('no key update');
  if (!held) throw new AppError('auth.required');
  // In a statement of its own: one that waited for the lock would not see the ban that it waited for.
  const [ban] = await tx.select().from(bans).where(eq(bans.discord_id, held.discord_id));
  if (ban) throw new AppError('auth.banned', { reason: ban.reason });
}

/** A profile as its owner sees it: the e-mail address stays in the session (DESIGN R7). */
export function toProfile({ email: _, provider: __, ...profile }: ProfileRow): Profile {
  const created_at = profile.created_at.toISOString();
  return { ...profile, ...ownPictures(profile), provider: 'discord', created_at };
}

/** The top bar shows the global name and falls back to the e-mail (§2); who has neither is shown by the user name. */
export const toUser = ({ id, email, created_at, ...discord }: ProfileRow): User => ({
  id,
  email,
  created_at: created_at.toISOString(),
  user_metadata: {
    full_name: discord.discord_global_name ?? (email === null ? discord.discord_username : null),
    avatar_url: ownPictures(discord).avatar_url,
  },
});
