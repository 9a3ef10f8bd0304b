import type { Caps } from '@satchel/contract/limits';
import type { Tiers } from '@satchel/contract/tiers';
import type {
  APIEmbed,
  APIMessageTopLevelComponent,
  APIModalInteractionResponseCallbackData,
} from 'discord-api-types/v10';
import type { NewIntent } from '../domain/discord/upload-intents.ts';
import type { BlobStore } from '../platform/blobs/blobs.ts';
import type { Db } from '../platform/database/db.ts';
import type { DiscordRest } from '../platform/discord/discord-rest.ts';
import type { KeySealer } from '../platform/keys/key-sealer.ts';
import type { KeyShares } from '../platform/keys/key-shares.ts';
import type { TextSealer } from '../platform/keys/text-sealer.ts';
import type { Call, Click, Typing } from './interaction.ts';

/** What a command of the bot is, and what it answers. */

export interface BotDeps {
  readonly db: Db;
  readonly blobs: BlobStore;
  readonly keyShares: KeyShares;
  readonly keySealer: KeySealer;
  readonly tiers: Tiers;
  readonly caps: Caps;
  /** The operators, who get reports. */
  readonly operators: readonly string[];
  /** Origin of the site. */
  readonly publicUrl: string;
  readonly rest: DiscordRest;
  /** Seals the token of a reply, and of a log channel's webhook, while it is stored. */
  readonly replyTokens: TextSealer;
  /** Reports failures after an answer. */
  readonly report: (error: unknown) => void;
}

/** A message's content. The sender adds `allowed_mentions`, so that no mention pings. */
export interface Message {
  readonly content?: string;
  readonly embeds?: readonly APIEmbed[];
  readonly components?: readonly APIMessageTopLevelComponent[];
}

/**
 * - `private`: only the caller sees it; `public`: everyone in the channel does.
 * - `update`: replaces the message that was clicked on.
 * - `modal`: opens a form.
 *
 * `intent` is stored with the answer, both or neither. `afterwards` runs once Discord has the answer; its errors are
 * reported and change nothing.
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

/** One slash command with its options, buttons, selects and forms. */
export interface Command {
  readonly name: 'upload' | 'list' | 'share' | 'delete' | 'settings' | 'help';
  readonly run: (deps: BotDeps, call: Call) => Promise<Answer>;
  readonly autocomplete?: (deps: BotDeps, typing: Typing) => Promise<readonly Choice[]>;
  /** Buttons, selects and modals by act: their custom_id is `customId(command, act, …args)`. */
  readonly clicks?: Readonly<Record<string, ClickHandler>>;
}
