import type { NewLinkMode, Profile, User } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { and, eq, sql } from 'drizzle-orm';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import type { DiscordUser } from '../../platform/discord/discord-oauth.ts';
import { profiles } from '../../platform/schema/accounts.ts';
import { bans } from '../../platform/schema/moderation.ts';
import { ownPictures } from './pictures.ts';

export type ProfileRow = typeof profiles.$inferSelect;

/** Creates the profile of a Discord account at its first sign-in, and updates it at every later one. */
export async function upsertProfile(db: Queryable, user: DiscordUser): Promise<ProfileRow> {
  const values = { ...user, name: user.discord_global_name ?? user.discord_username };
  const [profile] = await db
    .insert(profiles)
    .values(values)
    .onConflictDoUpdate({ target: profiles.discord_id, set: values })
    .returning();
  return profile!;
}

/** The viewer's own profile. @throws auth.required when it has been deleted */
export async function profileById(db: Queryable, profileId: string): Promise<ProfileRow> {
  const [profile] = await db.select().from(profiles).where(eq(profiles.id, profileId));
  if (!profile) throw new AppError('auth.required');
  return profile;
}

/** The Discord id of a profile; null when the profile has been deleted. */
export async function discordIdOf(db: Queryable, viewer: { readonly profile_id: string }): Promise<string | null> {
  const [profile] = await db
    .select({ discord_id: profiles.discord_id })
    .from(profiles)
    .where(eq(profiles.id, viewer.profile_id));
  return profile?.discord_id ?? null;
}

/**
 * Locks a profile until the transaction ends: it can't be deleted or banned, and other holders of this lock wait. What
 * the transaction counts for this profile stays as it was counted.
 * @throws auth.required when it has been deleted, auth.banned
 */
export async function holdProfile(tx: Tx, profileId: string): Promise<void> {
  const [held] = await tx
    .select({ discord_id: profiles.discord_id })
    .from(profiles)
    .where(eq(profiles.id, profileId))
    .for('no key update');
  if (!held) throw new AppError('auth.required');
  // A statement of its own: the one that waited for the lock would not see a ban that was committed during the wait.
  const [ban] = await tx.select().from(bans).where(eq(bans.discord_id, held.discord_id));
  if (ban) throw new AppError('auth.banned', { reason: ban.reason });
}

/** Remembers who was to open a folder of /upload: the next one begins with this answer. */
export async function rememberLinkMode(db: Queryable, profileId: string, mode: NewLinkMode): Promise<void> {
  const isOther = sql`${profiles.upload_link_mode} is distinct from ${mode}`;
  await db
    .update(profiles)
    .set({ upload_link_mode: mode })
    .where(and(eq(profiles.id, profileId), isOther));
}

/** Remembers that a person copies the link of a folder whose key the server lacks, or posts such a folder. */
export async function rememberCopiesLink(db: Queryable, profileId: string, copies_link: boolean): Promise<void> {
  await db.update(profiles).set({ copies_link }).where(eq(profiles.id, profileId));
}

/** A profile as its owner gets it: the e-mail address is part of the session alone. */
export function toProfile({
  email: _,
  provider: __,
  upload_link_mode: ___,
  copies_link: ____,
  ...profile
}: ProfileRow): Profile {
  const created_at = profile.created_at.toISOString();
  return { ...profile, ...ownPictures(profile), provider: 'discord', created_at };
}

/** The top bar shows the global name, else the e-mail address, else the user name. */
export const toUser = ({ id, email, created_at, ...discord }: ProfileRow): User => ({
  id,
  email,
  created_at: created_at.toISOString(),
  user_metadata: {
    full_name: discord.discord_global_name ?? (email === null ? discord.discord_username : null),
    avatar_url: ownPictures(discord).avatar_url,
  },
});
