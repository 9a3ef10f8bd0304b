import { DiscordAPIError, HTTPError, REST } from '@discordjs/rest';
import {
  type RESTGetCurrentApplicationResult,
  type RESTPatchCurrentApplicationJSONBody,
  type RESTPutAPIApplicationCommandsJSONBody,
  Routes,
} from 'discord-api-types/v10';

/** The application at Discord, as its own bot token sees and changes it. */
export interface DiscordApplication {
  /** @throws DiscordRefusal */
  read(): Promise<RESTGetCurrentApplicationResult>;
  /** Puts these commands in the place of all that there were. @throws DiscordRefusal */
  putCommands(applicationId: string, commands: RESTPutAPIApplicationCommandsJSONBody): Promise<void>;
  /** @throws DiscordRefusal */
  edit(settings: RESTPatchCurrentApplicationJSONBody): Promise<void>;
}

/** Why Discord did not do what it was asked for, in one line without a token or an address. */
export class DiscordRefusal extends Error {
  override readonly name = 'DiscordRefusal';
  /** Of the answer; null when there was none. */
  readonly status: number | null;

  constructor(status: number | null, message: string) {
    super(message);
    this.status = status;
  }
}

/** The innermost error knows best what was wrong with the line. */
function lineProblem(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return 'no answer in time';
  return error.cause ? lineProblem(error.cause) : ((error as NodeJS.ErrnoException).code ?? error.message);
}

function toRefusal(error: unknown): DiscordRefusal {
  // Its message has a line for each field that was wrong (50035).
  if (error instanceof DiscordAPIError)
    return new DiscordRefusal(error.status, error.message.replace(/\s*\n\s*/g, '; '));
  if (error instanceof HTTPError) return new DiscordRefusal(error.status, `HTTP ${error.status}`);
  return new DiscordRefusal(null, lineProblem(error));
}

const TIMEOUT_MS = 15_000;

/** @param apiUrl DISCORD_API_URL, with the API's version at its end */
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
