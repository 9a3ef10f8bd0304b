import { sql } from 'drizzle-orm';
import { boolean, doublePrecision, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';

/** What the bot in Discord remembers: for minutes, and of a server what its managers set. */

/** A card that waits for its folder's key. */
export interface WaitingCard {
  /** Whom the card is to let in (`folder_shares`). */
  readonly discord_id: string | null;
  readonly guild_id: string | null;
  /** Where the card is to be posted; null in direct messages. */
  readonly place: { readonly guild_id: string; readonly channel_id: string } | null;
}

/**
 * What a person asked for by /upload or /share, for 15 minutes: a browser fills in a form with it, and the reply reports
 * the files; or the server posts a card once it has the folder's key.
 */
export const upload_intents = pgTable('upload_intents', {
  id: uuid('id').primaryKey().defaultRandom(),
  /** SHA-256 of the token in the link, hex; null when the folder exists already and nothing has to be redeemed. */
  token_hash: text('token_hash'),
  discord_id: text('discord_id').notNull(),
  /** Name, lifetime and mode of the new folder, as the command gave them. */
  folder_name: text('folder_name'),
  lifetime_hours: doublePrecision('lifetime_hours'),
  link_mode: text('link_mode', { enum: ['plain', 'private', 'discord'] }).notNull(),
  /** The folder whose files the reply reports; null until it is created. */
  folder_id: uuid('folder_id'),
  /** The token that edits the reply, sealed under SESSION_SECRET; Discord accepts it for 15 minutes. */
  reply_token: text('reply_token').notNull(),
  /** Language of the reply. */
  language: text('language', { enum: ['en', 'de', 'fr', 'es'] }).notNull(),
  created_at: moment('created_at').notNull().default(sql`now()`),
  expires_at: moment('expires_at').notNull(),
  redeemed_at: moment('redeemed_at'),
  /** When the reply last reported files. */
  told_at: moment('told_at'),
  /** Until then one node is editing the reply, and the others leave it alone. */
  telling_until: moment('telling_until'),
  /** Of /share for a folder whose key the server lacks; null for /upload. */
  card: jsonb('card').$type<WaitingCard>(),
});

/** Interactions of the last minutes, so that a repeated one has no second effect and gets the same answer. */
export const interactions = pgTable('interactions', {
  id: text('id').primaryKey(),
  /** Sealed under the interaction's own token, which is not stored; null until it has been answered. */
  sealed_answer: text('sealed_answer'),
  received_at: moment('received_at').notNull().default(sql`now()`),
});

/** What the managers of a Discord server set by /settings. A server without a row has no rules of its own. */
export const guild_settings = pgTable('guild_settings', {
  guild_id: text('guild_id').primaryKey(),
  /** Who opens a new folder of a person who has not said so yet. */
  link_mode: text('link_mode', { enum: ['plain', 'private', 'discord'] }),
  /** How long a folder may live that is made or shared there. */
  lifetime_hours: doublePrecision('lifetime_hours'),
  /** True where /share lets in members alone. */
  members_only: boolean('members_only').notNull().default(false),
  /** The channels where /share may post; all of them when it names none. */
  channel_ids: jsonb('channel_ids').$type<readonly string[]>().notNull().default([]),
  /** The webhook of the log channel, `id/token`, sealed under SESSION_SECRET. */
  log_webhook: text('log_webhook'),
});
