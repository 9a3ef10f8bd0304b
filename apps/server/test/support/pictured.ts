import { findPersona } from '@satchel/discord-sandbox/personas/personas';
import { eq } from 'drizzle-orm';
import { profiles } from '../../src/platform/database/schema.ts';
import { toDiscordUser } from '../../src/platform/discord/discord-oauth.ts';
import type { Account, TestApp } from './test-app.ts';

/**
 * Gives an account the avatar and the banner of a persona of the sandbox.
 * @returns the Discord id in the addresses of both
 */
export async function givePictures(app: TestApp, account: Account, persona: string): Promise<string> {
  const user = findPersona(persona)!.user;
  const { discord_id, avatar_url, banner_url } = toDiscordUser(user, app.deps.discord.cdnOrigin);
  await app.database.db.update(profiles).set({ avatar_url, banner_url }).where(eq(profiles.id, account.profile_id));
  return discord_id;
}
