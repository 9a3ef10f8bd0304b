import type {
  RESTPatchAPIWebhookWithTokenMessageJSONBody,
  RESTPostAPIWebhookWithTokenJSONBody,
} from 'discord-api-types/v10';

/** What the bot says to Discord by itself, apart from its answers. */
export interface DiscordRest {
  /**
   * Changes the answer to an interaction.
   * @param token the interaction's own, good for 15 minutes
   * @throws DiscordAPIError, e.g. when the token is over or the message was deleted
   */
  editReply(token: string, message: RESTPatchAPIWebhookWithTokenMessageJSONBody): Promise<void>;
  /** Says a further thing after the answer. */
  followUp(token: string, message: RESTPostAPIWebhookWithTokenJSONBody): Promise<void>;
}
