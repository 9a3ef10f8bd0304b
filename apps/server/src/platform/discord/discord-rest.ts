import { setTimeout as sleep } from 'node:timers/promises';
import { DiscordAPIError, HTTPError, REST } from '@discordjs/rest';
import {
  RESTJSONErrorCodes,
  type RESTPatchAPIWebhookWithTokenMessageJSONBody,
  type RESTPostAPIWebhookWithTokenJSONBody,
  Routes,
} from 'discord-api-types/v10';

/** What the bot says to Discord by itself, apart from its answers. Nothing of it ever pings anybody. */
export interface DiscordRest {
  /**
   * Changes the answer to an interaction.
   * @param token the interaction's own, good for 15 minutes
   * @throws DiscordCallError, e.g. when the token is over or the message was deleted
   */
  editReply(token: string, message: RESTPatchAPIWebhookWithTokenMessageJSONBody): Promise<void>;
  /** Says a further thing after the answer. */
  followUp(token: string, message: RESTPostAPIWebhookWithTokenJSONBody): Promise<void>;
}

/** What Discord made of a call. The library's own errors hold address and body, and the address holds the token. */
export class DiscordCallError extends Error {
  override readonly name = 'DiscordCallError';
  /** Discord's own code, or the HTTP status, or what went wrong on the way. */
  readonly code: number | string;

  constructor(code: number | string) {
    super(`Discord refused a call (${code})`);
    this.code = code;
  }
}

function tokenless(error: unknown): DiscordCallError {
  if (error instanceof DiscordAPIError) return new DiscordCallError(error.code);
  if (error instanceof HTTPError) return new DiscordCallError(error.status);
  const { code, name } = error as { code?: unknown; name?: unknown };
  return new DiscordCallError(typeof code === 'string' ? code : String(name));
}

/** An answer that has just left may not have been taken in yet by the part of Discord that is asked next. */
const NOT_YET: readonly unknown[] = [RESTJSONErrorCodes.UnknownWebhook, RESTJSONErrorCodes.UnknownInteraction];
const AGAIN_AFTER_MS = [250, 1000];
const TIMEOUT_MS = 10_000;
const NO_MENTIONS = { allowed_mentions: { parse: [] } };

/**
 * @param apiUrl DISCORD_API_URL, with the API's version at its end
 * @param applicationId whose interactions they are
 */
export function createDiscordRest({ apiUrl, applicationId }: { apiUrl: string; applicationId: string }): DiscordRest {
  const [, api = apiUrl, version = '10'] = /^(.*)\/v(\d+)$/.exec(apiUrl) ?? [];
  // Waiting out a rate limit and trying again after a 5xx are the library's.
  const rest = new REST({ api, version, timeout: TIMEOUT_MS });

  async function patiently(call: () => Promise<unknown>): Promise<void> {
    for (const waitMs of [...AGAIN_AFTER_MS, null]) {
      try {
        await call();
        return;
      } catch (error) {
        const known = tokenless(error);
        if (waitMs === null || !NOT_YET.includes(known.code)) throw known;
        await sleep(waitMs);
      }
    }
  }

  return {
    editReply: (token, message) =>
      patiently(() =>
        rest.patch(Routes.webhookMessage(applicationId, token), { body: { ...message, ...NO_MENTIONS }, auth: false }),
      ),
    followUp: (token, message) =>
      patiently(() =>
        rest.post(Routes.webhook(applicationId, token), { body: { ...message, ...NO_MENTIONS }, auth: false }),
      ),
  };
}
