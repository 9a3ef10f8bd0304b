import { sql } from 'drizzle-orm';
import { doublePrecision, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';

/** What the bot in Discord remembers for minutes. */

/**
 * What a person asked for by /upload, for 15 minutes: a browser fills in a form with it, and the reply reports the
 * files.
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
});

/** Interactions of the last minutes, so that a repeated one has no second effect and gets the same answer. */
export const interactions = pgTable('interactions', {
  id: text('id').primaryKey(),
  /** Sealed under the interaction's own token, which is not stored; null until it has been answered. */
  sealed_answer: text('sealed_answer'),
  received_at: moment('received_at').notNull().default(sql`now()`),
});
