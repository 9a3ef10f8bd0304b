import type {
  APIApplicationCommand,
  APIEmbed,
  APIMessageTopLevelComponent,
  APIModalInteractionResponseCallbackData,
} from 'discord-api-types/v10';

/** What the chat shows. Its pages and what serves them share these; apart from types, nothing is in here. */

/** The author of a message, or a member of a place. */
export interface Author {
  readonly id: string;
  readonly name: string;
  readonly avatar_url: string;
  /** The application. */
  readonly is_bot: boolean;
}

export interface Channel {
  readonly id: string;
  readonly name: string;
}

/** A server with its channels, the direct messages with the application, or a private chat of a few people. */
export interface Place {
  readonly kind: 'server' | 'bot_dm' | 'private';
  readonly id: string;
  readonly name: string;
  readonly channels: readonly Channel[];
  readonly members: readonly Author[];
}

export interface ChatMessage {
  readonly id: string;
  readonly channel_id: string;
  readonly author: Author;
  readonly content: string;
  readonly embeds: readonly APIEmbed[];
  readonly components: readonly APIMessageTopLevelComponent[];
  /** ISO 8601. */
  readonly timestamp: string;
  readonly edited_timestamp: string | null;
  /** Only one person sees it. */
  readonly is_ephemeral: boolean;
  /** Who used which command, above an application's answer. */
  readonly used: { readonly by: Author; readonly command: string } | null;
  /** `thinking` until a deferred answer is there; `failed` where the application did not answer in time. */
  readonly state: 'sent' | 'thinking' | 'failed';
}

/** Any component of a message or a modal, read by its number: Discord's types have no union of all that may be nested. */
export interface Component {
  readonly type: number;
  readonly id?: number;
  readonly components?: readonly Component[];
  readonly component?: Component;
  readonly custom_id?: string;
  readonly label?: string;
  readonly description?: string | null;
  readonly style?: number;
  readonly url?: string;
  readonly disabled?: boolean;
  readonly required?: boolean;
  readonly value?: string;
  readonly options?: readonly { label: string; value: string; description?: string; default?: boolean }[];
  readonly placeholder?: string;
  readonly min_values?: number;
  readonly max_values?: number;
  readonly min_length?: number;
  readonly max_length?: number;
}

export interface OpenModal {
  readonly id: string;
  readonly channel_id: string;
  readonly modal: APIModalInteractionResponseCallbackData;
}

/** What one person is told as it happens. `message` is a new one, or one that has changed. */
export type ChatEvent =
  | { readonly kind: 'message'; readonly message: ChatMessage }
  | { readonly kind: 'removed'; readonly channel_id: string; readonly id: string }
  | { readonly kind: 'modal'; readonly modal: OpenModal }
  /** An interaction came to nothing, in Discord's words; `message_id` is what was clicked on. */
  | {
      readonly kind: 'failure';
      readonly channel_id: string;
      readonly message_id: string | null;
      readonly text: string;
    };

/** A command that may be used in a place, with texts in the language of who asks. */
export type OfferedCommand = Pick<APIApplicationCommand, 'id' | 'name' | 'description' | 'options'>;

export interface Choice {
  readonly name: string;
  readonly value: string | number;
}

/** Values of a command's options by name; a person by their id. */
export type OptionValues = Readonly<Record<string, string | number | boolean>>;

/** The chat as one of its people can use it. `persona` is a name of `personas.ts`. */
export interface Chat {
  placesOf(persona: string): readonly Place[];
  /** Oldest first, without what others alone may see. @throws ChatError for a channel that they are not in */
  messagesIn(persona: string, channelId: string): readonly ChatMessage[];
  commandsIn(persona: string, channelId: string): readonly OfferedCommand[];
  say(persona: string, channelId: string, content: string): ChatMessage;
  /** Resolves once the application has answered or the time to do so is over; what comes of it is told as events. */
  runCommand(persona: string, channelId: string, command: { name: string; options: OptionValues }): Promise<void>;
  autocomplete(
    persona: string,
    channelId: string,
    typed: { name: string; options: OptionValues; focused: string },
  ): Promise<readonly Choice[]>;
  click(
    persona: string,
    messageId: string,
    component: { custom_id: string; values?: readonly string[] },
  ): Promise<void>;
  submit(persona: string, modalId: string, fields: Readonly<Record<string, string>>): Promise<void>;
  /** Takes an ephemeral message away. */
  dismiss(persona: string, messageId: string): void;
  /** Adds embeds to a message, as link cards come in after it was sent. */
  attachCards(messageId: string, embeds: readonly APIEmbed[]): void;
  subscribe(persona: string, listener: (event: ChatEvent) => void): () => void;
}
