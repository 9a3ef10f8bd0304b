import type { Caps } from '@satchel/contract/limits';
import type { Tiers } from '@satchel/contract/tiers';
import type {
  APIEmbed,
  APIMessageTopLevelComponent,
  APIModalInteractionResponseCallbackData,
} from 'discord-api-types/v10';
import type { NewIntent } from '../domain/upload-intents.ts';
import type { BlobStore } from '../platform/blobs.ts';
import type { Db } from '../platform/db.ts';
import type { DiscordRest } from '../platform/discord-rest.ts';
import type { KeySealer } from '../platform/key-sealer.ts';
import type { KeyShares } from '../platform/key-shares.ts';
import type { TextSealer } from '../platform/text-sealer.ts';
import type { Call, Click, Typing } from './interaction.ts';

/** What a command of the bot is, and what it answers. */

export interface BotDeps {
  readonly db: Db;
  readonly blobs: BlobStore;
  readonly keyShares: KeyShares;
  readonly keySealer: KeySealer;
  readonly tiers: Tiers;
  readonly caps: Caps;
  /** Origin of the site. */
  readonly publicUrl: string;
  readonly rest: DiscordRest;
  /** Seals what edits a reply, for as long as it is kept. */
  readonly replyTokens: TextSealer;
  /** Told of what failed behind an answer. */
  readonly report: (error: unknown) => void;
}

/** What a message says. Mentions are never allowed to ping: the one who sends it adds `allowed_mentions`. */
export interface Message {
  readonly content?: string;
  readonly embeds?: readonly APIEmbed[];
  readonly components?: readonly APIMessageTopLevelComponent[];
}

/**
 * - `private`: only who asked sees it; `public`: everybody in the channel does.
 * - `update`: the message that was clicked on becomes this.
 * - `modal`: a form opens.
 * `intent` is stored with the answer: both are or neither is.
 * `afterwards` runs once the answer is with Discord; what it throws is reported and changes nothing.
 */
export type Answer = (
  | { readonly kind: 'private' | 'public' | 'update'; readonly message: Message }
  | { readonly kind: 'modal'; readonly modal: APIModalInteractionResponseCallbackData }
) & { readonly intent?: NewIntent; readonly afterwards?: () => Promise<void> };

export interface Choice {
  readonly name: string;
  readonly value: string;
}

export type ClickHandler = (deps: BotDeps, click: Click) => Promise<Answer>;

/** One slash command with all that hangs on it. */
export interface Command {
  readonly name: 'upload' | 'list' | 'share' | 'delete';
  readonly run: (deps: BotDeps, call: Call) => Promise<Answer>;
  readonly autocomplete?: (deps: BotDeps, typing: Typing) => Promise<readonly Choice[]>;
  /** Buttons, selects and modals by act: their custom_id is `customId(command, act, …args)`. */
  readonly clicks?: Readonly<Record<string, ClickHandler>>;
}

/** A custom_id: at most 100 characters, which a few ids are far from. */
export const customId = (command: Command['name'], act: string, ...args: readonly string[]): string =>
  [command, act, ...args].join(':');
