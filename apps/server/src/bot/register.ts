import { PATHS } from '@satchel/contract/paths';
import type { Tiers } from '@satchel/contract/tiers';
import {
  ApplicationIntegrationType,
  ApplicationWebhookEventStatus,
  ApplicationWebhookEventType,
  OAuth2Scopes,
  type RESTPatchCurrentApplicationJSONBody,
} from 'discord-api-types/v10';
import { type DiscordApplication, DiscordRefusal } from '../platform/discord-application.ts';
import { commandDefinitions } from './definitions.ts';

/** Tells Discord of the bot: what its commands are, and where it is to be asked (docs/discord.md). */

export interface Registration {
  readonly application: DiscordApplication;
  readonly clientId: string;
  readonly publicKey: string;
  /** Origin of the site. */
  readonly publicUrl: string;
  readonly tiers: Tiers;
}

/** A registration that came to nothing, in one line that names the setting to look at. */
export class RegistrationError extends Error {
  override readonly name = 'RegistrationError';
}

/**
 * The bot needs no permission: it only answers those who ask it. Discord answers with a string, which is what the type
 * is made after, and by its published schema takes a number.
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

/** What a refusal means to whoever runs this, where that is known. */
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

/** Settings of two applications mixed up would register well, and then answer nobody. */
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
 * Gives Discord the addresses, which it tries at once, so that the server has to be running; then the commands, in the
 * place of all others. In this order, since a command may be for no more than what its application is, a server's app and
 * a person's, and since none should be offered that nobody answers.
 * @returns what was done, in one line
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
