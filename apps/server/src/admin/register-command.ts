import { registerBot } from '../bot/register.ts';
import { type Config, ConfigError } from '../config.ts';
import { createDiscordApplication } from '../platform/discord/discord-application.ts';
import { isLoopback } from '../setting-types.ts';

/** Registers the bot with Discord, or with the sandbox, by the settings of the server. Only this needs the token. */

function tokenOf({ discord, publicUrl, role }: Config): string {
  if (role === 'keys')
    throw new ConfigError('SATCHEL_ROLE: a key service has no bot; register it with a node’s settings');
  if (discord.botToken === null) {
    throw new ConfigError('DISCORD_BOT_TOKEN: is missing. It is on the page Bot of the application: docs/discord.md');
  }
  if (isLoopback(new URL(publicUrl).hostname) && !isLoopback(new URL(discord.apiUrl).hostname)) {
    throw new ConfigError(`PUBLIC_URL: Discord can't ask ${publicUrl}, which is this machine only`);
  }
  return discord.botToken;
}

/** @returns one line that says what was done */
export async function registerByConfig(config: Config): Promise<string> {
  const { discord, publicUrl, tiers } = config;
  const application = createDiscordApplication({ apiUrl: discord.apiUrl, botToken: tokenOf(config) });
  return registerBot({ application, publicUrl, tiers, ...discord });
}
