import { eq } from 'drizzle-orm';
import { findPersona } from '../../../sandbox/src/personas.ts';
import { toDiscordUser } from '../platform/discord.ts';
import { profiles } from '../platform/schema.ts';
import type { Account, TestApp } from './test-app.ts';

/**
 * Gives an account the avatar and the banner of a persona of the sandbox.
 * @returns the Discord id that is in the addresses of both
 */
export async function givePictures(app: TestApp, account: Account, persona: string): Promise<string> {
  const user = findPersona(persona)!.user;
  const { discord_id, avatar_url, banner_url } = toDiscordUser(user, app.deps.discord.cdnOrigin);
  await app.database.db.update(profiles).set({ avatar_url, banner_url }).where(eq(profiles.id, account.profile_id));
  return discord_id;
}
