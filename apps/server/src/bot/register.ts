import { PATHS } from '@satchel/contract/paths';
import type { Tiers } from '@satchel/contract/tiers';
import {
  ApplicationIntegrationType,
  ApplicationWebhookEventStatus,
  ApplicationWebhookEventType,
  OAuth2Scopes,
  type RESTPatchCurrentApplicationJSONBody,
} from 'discord-api-types/v10';
import { type DiscordApplication, DiscordRefusal } from '../platform/discord/discord-application.ts';
import { commandDefinitions } from './definitions.ts';

/** Registers the bot's commands and addresses with Discord (docs/discord.md). */

export interface Registration {
  readonly application: DiscordApplication;
  readonly clientId: string;
  readonly publicKey: string;
  /** Origin of the site. */
  readonly publicUrl: string;
  readonly tiers: Tiers;
}

/** A failed registration, in one line that names the setting to check. */
export class RegistrationError extends Error {
  override readonly name = 'RegistrationError';
}

/**
 * The bot needs no permissions: it only answers. Discord sends this field as a string, hence the type, but its
 * published schema takes a number.
 */
const NO_PERMISSIONS = 0 as unknown as string;
const OF_SERVER = { scopes: [OAuth2Scopes.ApplicationsCommands, OAuth2Scopes.Bot], permissions: NO_PERMISSIONS };
const OF_PERSON = { scopes: [OAuth2Scopes.ApplicationsCommands], permissions: NO_PERMISSIONS };

const settingsFor = (publicUrl: string): RESTPatchCurrentApplicationJSONBody => ({
  interactions_endpoint_url: publicUrl + PATHS.interactions,
  event_webhooks_url: publicUrl + PATHS.discordEvents,
  event_webhooks_status: ApplicationWebhookEventStatus.Enabled,
  event_webhooks_types: [ApplicationWebhookEventType.ApplicationDeauthorized],
  integration_types_config: {
    [ApplicationIntegrationType.GuildInstall]: { oauth2_install_params: OF_SERVER },
    [ApplicationIntegrationType.UserInstall]: { oauth2_install_params: OF_PERSON },
  },
});

/** Explains a refusal to the person who runs this, if the reason is known. */
function explain(error: unknown, doing: string): unknown {
  if (!(error instanceof DiscordRefusal)) return error;
  if (error.status === null)
    return new RegistrationError(`DISCORD_API_URL: Discord can't be reached (${error.message})`);
  if (error.status === 401) {
    return new RegistrationError(
      'DISCORD_BOT_TOKEN: Discord does not take this token. Reset it on the page Bot of the application',
    );
  }
  return new RegistrationError(`Discord refused ${doing}: ${error.message}`);
}

async function attempt<Result>(doing: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw explain(error, doing);
  }
}

/** Refuses the settings of two applications mixed up: they would register, and then no command would be answered. */
async function checkApplication({ application, clientId, publicKey }: Registration): Promise<void> {
  const { id, verify_key } = await attempt('to say whose token this is', () => application.read());
  if (id !== clientId) {
    throw new RegistrationError(`DISCORD_BOT_TOKEN: is of application ${id}, and DISCORD_CLIENT_ID is ${clientId}`);
  }
  if (verify_key.toLowerCase() !== publicKey) {
    throw new RegistrationError('DISCORD_PUBLIC_KEY: is not the public key of this application, which is on its page');
  }
}

/**
 * Registers the addresses, which Discord calls at once, so the server must be running; then replaces all commands. The
 * commands come second because they may claim no more than the application is (a server's app and a person's), and
 * because no command should be on offer before its address works.
 * @returns one line that says what was done
 * @throws RegistrationError
 */
export async function registerBot(registration: Registration): Promise<string> {
  const { application, clientId, publicUrl, tiers } = registration;
  await checkApplication(registration);
  await attempt(`${publicUrl} (the server has to be running, and Discord has to reach it there)`, () =>
    application.edit(settingsFor(publicUrl)),
  );
  const commands = commandDefinitions(tiers);
  await attempt('the commands', () => application.putCommands(clientId, commands));
  const names = commands.map(({ name }) => `/${name}`).join(' ');
  return `${names} are registered, and Discord asks ${publicUrl}${PATHS.interactions}`;
}
