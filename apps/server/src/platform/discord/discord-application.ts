import { DiscordAPIError, HTTPError, REST } from '@discordjs/rest';
import {
  type RESTGetCurrentApplicationResult,
  type RESTPatchCurrentApplicationJSONBody,
  type RESTPutAPIApplicationCommandsJSONBody,
  Routes,
} from 'discord-api-types/v10';
import { causeOf } from '../cause.ts';

/** The application at Discord, as its bot token reads and changes it. */
export interface DiscordApplication {
  /** @throws DiscordRefusal */
  read(): Promise<RESTGetCurrentApplicationResult>;
  /** Replaces all commands by these. @throws DiscordRefusal */
  putCommands(applicationId: string, commands: RESTPutAPIApplicationCommandsJSONBody): Promise<void>;
  /** @throws DiscordRefusal */
  edit(settings: RESTPatchCurrentApplicationJSONBody): Promise<void>;
}

/** Why Discord refused a call, in one line without a token or an address. */
export class DiscordRefusal extends Error {
  override readonly name = 'DiscordRefusal';
  /** Status of the answer; null without an answer. */
  readonly status: number | null;

  constructor(status: number | null, message: string) {
    super(message);
    this.status = status;
  }
}

function toRefusal(error: unknown): DiscordRefusal {
  // The message has a line for each wrong field (50035).
  if (error instanceof DiscordAPIError)
    return new DiscordRefusal(error.status, error.message.replace(/\s*\n\s*/g, '; '));
  if (error instanceof HTTPError) return new DiscordRefusal(error.status, `HTTP ${error.status}`);
  return new DiscordRefusal(null, causeOf(error));
}

const TIMEOUT_MS = 15_000;

/** @param apiUrl DISCORD_API_URL, with the version of the API at its end */
export function createDiscordApplication({
  apiUrl,
  botToken,
}: {
  apiUrl: string;
  botToken: string;
}): DiscordApplication {
  const [, api = apiUrl, version = '10'] = /^(.*)\/v(\d+)$/.exec(apiUrl) ?? [];
  const rest = new REST({ api, version, timeout: TIMEOUT_MS, retries: 1 }).setToken(botToken);

  async function ask<Answer>(call: () => Promise<unknown>): Promise<Answer> {
    try {
      return (await call()) as Answer;
    } catch (error) {
      throw toRefusal(error);
    }
  }

  return {
    read: () => ask(() => rest.get(Routes.currentApplication())),
    putCommands: (applicationId, body) => ask(() => rest.put(Routes.applicationCommands(applicationId), { body })),
    edit: (body) => ask(() => rest.patch(Routes.currentApplication(), { body })),
  };
}
