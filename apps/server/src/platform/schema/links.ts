import { sql } from 'drizzle-orm';
import { pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';

/** Keys of links, and who else is let in. */

/**
 * The keys of links, as far as the database stores them. The key share of a private link is never in the database
 * (docs/container.md §3).
 */
export const temp_encryption_keys = pgTable('temp_encryption_keys', {
  folder_id: uuid('folder_id').primaryKey(),
  slug: text('slug').notNull(),
  /** A private link's sealed_key, or a Discord link's keys, sealed by this server. */
  encrypted_key: text('encrypted_key').notNull(),
  /** When the link ends: at the folder's end, or earlier. */
  expires_at: moment('expires_at').notNull(),
  owner_user_id: uuid('owner_user_id').notNull(),
  api_token: text('api_token').notNull(),
  created_at: moment('created_at').notNull().default(sql`now()`),
  /** Names this link's key share, since a folder has one share for each link; null for a Discord link. */
  share_id: uuid('share_id'),
  /** SHA-256 of the passphrase's proof, base64url; null without a passphrase. */
  proof_hash: text('proof_hash'),
  /** When the key ends although its folder lives longer; null if it ends with the folder. */
  latest_at: moment('latest_at'),
});

/** Wrong passphrases of the last hour: in the database, so that a restart gives no new tries (docs/container.md §3). */
export const passphrase_tries = pgTable('passphrase_tries', {
  id: uuid('id').primaryKey().defaultRandom(),
  folder_id: uuid('folder_id').notNull(),
  tried_at: moment('tried_at').notNull(),
  /** The client, as its pseudonym of the day: one client can't use up the tries of all. */
  client: text('client'),
});

/** Grants by a click in Discord: good once and for five minutes, stored as a hash. */
export const folder_grants = pgTable('folder_grants', {
  token_hash: text('token_hash').primaryKey(),
  folder_id: uuid('folder_id').notNull(),
  created_at: moment('created_at').notNull().default(sql`now()`),
  expires_at: moment('expires_at').notNull(),
});

/** Browsers that redeemed a grant: each has one random token in a cookie, stored as a hash. */
export const folder_guests = pgTable('folder_guests', {
  folder_id: uuid('folder_id').notNull(),
  holder_hash: text('holder_hash').notNull(),
  created_at: moment('created_at').notNull().default(sql`now()`),
});

/**
 * Invitations, the cards of /share for restricted folders: each lets in the person or the members of a server whom it
 * names, else everyone who clicks Open.
 */
export const folder_shares = pgTable('folder_shares', {
  id: uuid('id').primaryKey().defaultRandom(),
  folder_id: uuid('folder_id').notNull(),
  /** Only this person, by Discord id. */
  discord_id: text('discord_id'),
  /** Only members of this server, by Discord id. */
  guild_id: text('guild_id'),
  created_at: moment('created_at').notNull().default(sql`now()`),
});

/** Labels under a new folder key, before the link with that key is the folder's (docs/container.md §6). */
export const staged_labels = pgTable('staged_labels', {
  folder_id: uuid('folder_id').notNull(),
  /** One change of the link. */
  stage_id: uuid('stage_id').notNull(),
  name: text('name').notNull(),
  /** The label that the file, or the open upload, had. */
  earlier: text('earlier').notNull(),
  /** Null for an entry that the present key does not prove: it keeps its label. */
  sealed: text('sealed'),
  staged_at: moment('staged_at').notNull().default(sql`now()`),
});
