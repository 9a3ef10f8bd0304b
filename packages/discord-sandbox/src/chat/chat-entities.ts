import type {
  APIApplicationCommand,
  APIEmbed,
  APIMessageTopLevelComponent,
  APIModalInteractionResponseCallbackData,
} from 'discord-api-types/v10';

/** What the chat shows and can do: its page, what serves it and the application's side share these. */

/** An act that the chat refuses. Its text is for people. */
export class ChatError extends Error {}

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
  readonly max_length?: number;
}

export interface OpenModal {
  readonly id: string;
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
export type OfferedCommand = Pick<APIApplicationCommand, 'name' | 'description' | 'options'>;

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
  subscribe(listener: (persona: string, event: ChatEvent) => void): () => void;
}

/** A server in which the person may add applications, or the person's own account. */
export interface InstallTarget {
  readonly kind: 'server' | 'account';
  readonly id: string;
  readonly name: string;
  readonly is_installed: boolean;
}

/** Where the application is installed, and where it can be. */
export interface Installations {
  targetsOf(persona: string): readonly InstallTarget[];
  /** Adding it where it is already is fine. @throws ChatError for a target that isn't the person's to choose */
  install(persona: string, targetId: string): InstallTarget;
  /** Removes the application from the account, ends its authorizations, and tells the application. */
  deauthorize(persona: string): Promise<void>;
}
