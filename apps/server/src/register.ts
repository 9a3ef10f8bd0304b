import { RegistrationError, registerBot } from './bot/register.ts';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { createDiscordApplication } from './platform/discord/discord-application.ts';
import { isLoopback } from './setting-types.ts';

/** Registers the bot with Discord, or with the sandbox: `npm run bot:register`. Only this command needs the token. */

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

async function run(): Promise<void> {
  const config = loadConfig();
  const { discord, publicUrl, tiers } = config;
  const application = createDiscordApplication({ apiUrl: discord.apiUrl, botToken: tokenOf(config) });
  const done = await registerBot({ application, publicUrl, tiers, ...discord });
  process.stdout.write(`satchel: ${done}\n`);
}

function fail(error: unknown): never {
  const isKnown = error instanceof ConfigError || error instanceof RegistrationError;
  const text = isKnown ? error.message : `could not register: ${error instanceof Error ? error.stack : String(error)}`;
  process.stderr.write(`satchel: ${text}\n`);
  process.exit(1);
}

run().then(() => process.exit(0), fail);
