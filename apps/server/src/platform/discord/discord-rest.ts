import { setTimeout as sleep } from 'node:timers/promises';
import type { REST } from '@discordjs/rest';
import {
  RESTJSONErrorCodes,
  type RESTPatchAPIWebhookWithTokenMessageJSONBody,
  type RESTPostAPIWebhookWithTokenJSONBody,
  Routes,
} from 'discord-api-types/v10';

/** The calls that the bot makes to Discord, apart from its answers. None of them pings a person. */
export interface DiscordRest {
  /**
   * Edits the answer to an interaction.
   * @param token the token of the interaction, valid for 15 minutes
   * @throws DiscordCallError, e.g. when the token has expired or the message was deleted
   */
  editReply(token: string, message: RESTPatchAPIWebhookWithTokenMessageJSONBody): Promise<void>;
  /** Sends another message after the answer. */
  followUp(token: string, message: RESTPostAPIWebhookWithTokenJSONBody): Promise<void>;
  /** Posts by a channel's own webhook. */
  post(webhook: { readonly id: string; readonly token: string }, content: string): Promise<void>;
}

/** A failed call. The errors of the library hold address and body, and the address holds the token. */
export class DiscordCallError extends Error {
  override readonly name = 'DiscordCallError';
  /** Discord's error code, or the HTTP status, or the error of the connection. */
  readonly code: number | string;

  constructor(code: number | string) {
    super(`Discord refused a call (${code})`);
    this.code = code;
  }
}

type Library = typeof import('@discordjs/rest');

function tokenless(error: unknown, { DiscordAPIError, HTTPError }: Library): DiscordCallError {
  if (error instanceof DiscordAPIError) return new DiscordCallError(error.code);
  if (error instanceof HTTPError) return new DiscordCallError(error.status);
  const { code, name } = error as { code?: unknown; name?: unknown };
  return new DiscordCallError(typeof code === 'string' ? code : String(name));
}

/** Discord may not know an answer yet that it has just received. */
const NOT_YET: readonly unknown[] = [RESTJSONErrorCodes.UnknownWebhook, RESTJSONErrorCodes.UnknownInteraction];
const AGAIN_AFTER_MS = [250, 1000];
const TIMEOUT_MS = 10_000;
const NO_MENTIONS = { allowed_mentions: { parse: [] } };

export type CallOutcome = 'ok' | 'rate_limited' | 'refused' | 'failed' | 'unreachable';

export interface DiscordRestOptions {
  readonly apiUrl: string;
  readonly applicationId: string;
  readonly observe?: (outcome: CallOutcome) => void;
}

function outcomeOf(error: unknown, { DiscordAPIError, HTTPError }: Library): CallOutcome {
  const isAnswer = error instanceof DiscordAPIError || error instanceof HTTPError;
  if (!isAnswer) return 'unreachable';
  return error.status >= 500 ? 'failed' : 'refused';
}

/**
 * @param apiUrl DISCORD_API_URL, with the version of the API at its end
 * @param applicationId the application of the interactions
 * @param observe is called with the outcome of each call, and with `rate_limited` each time a call has to wait
 */
export function createDiscordRest({ apiUrl, applicationId, observe }: DiscordRestOptions): DiscordRest {
  const [, api = apiUrl, version = '10'] = /^(.*)\/v(\d+)$/.exec(apiUrl) ?? [];

  async function connect() {
    const library = await import('@discordjs/rest');
    // The library waits for rate limits and retries after a 5xx.
    const rest = new library.REST({ api, version, timeout: TIMEOUT_MS });
    rest.on('rateLimited', () => observe?.('rate_limited'));
    return { library, rest };
  }
  let connected: ReturnType<typeof connect> | undefined;

  async function withRetries(call: (rest: REST) => Promise<unknown>): Promise<void> {
    // The library comes with an HTTP client of its own: a start and a server at rest do without it.
    connected ??= connect();
    const { library, rest } = await connected;
    for (const waitMs of [...AGAIN_AFTER_MS, null]) {
      try {
        await call(rest);
        observe?.('ok');
        return;
      } catch (error) {
        const known = tokenless(error, library);
        if (waitMs === null || !NOT_YET.includes(known.code)) {
          observe?.(outcomeOf(error, library));
          throw known;
        }
        await sleep(waitMs);
      }
    }
  }

  return {
    editReply: (token, message) =>
      withRetries((rest) =>
        rest.patch(Routes.webhookMessage(applicationId, token), { body: { ...message, ...NO_MENTIONS }, auth: false }),
      ),
    followUp: (token, message) =>
      withRetries((rest) =>
        rest.post(Routes.webhook(applicationId, token), { body: { ...message, ...NO_MENTIONS }, auth: false }),
      ),
    post: ({ id, token }, content) =>
      withRetries((rest) => rest.post(Routes.webhook(id, token), { body: { content, ...NO_MENTIONS }, auth: false })),
  };
}
