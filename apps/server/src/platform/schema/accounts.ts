import { sql } from 'drizzle-orm';
import { boolean, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment, wholeNumber } from './columns.ts';

/** Accounts, their sessions, and devices that wait for one. */

export const profiles = pgTable('profiles', {
  id: uuid('id').primaryKey().defaultRandom(),
  name: text('name'),
  email: text('email'),
  discord_id: text('discord_id').notNull(),
  discord_username: text('discord_username'),
  discord_global_name: text('discord_global_name'),
  discord_discriminator: text('discord_discriminator'),
  discord_public_flags: integer('discord_public_flags').notNull().default(0),
  avatar_url: text('avatar_url'),
  banner_url: text('banner_url'),
  accent_color: integer('accent_color'),
  provider: text('provider').notNull().default('discord'),
  subscription_tier: text('subscription_tier').notNull().default('free'),
  /** Who was to open the last folder of /upload, which the next one begins with; null before the first. */
  upload_link_mode: text('upload_link_mode', { enum: ['plain', 'private', 'discord'] }),
  /** True once the person answered that they copy the full link of a folder that /share can't open: no further question. */
  copies_link: boolean('copies_link').notNull().default(false),
  /** Exactly the sum of the stored files and their stills, and of the open uploads, of this profile. */
  used_bytes: wholeNumber('used_bytes').notNull().default(0),
  reserved_bytes: wholeNumber('reserved_bytes').notNull().default(0),
  created_at: moment('created_at').notNull().default(sql`now()`),
});

export const sessions = pgTable('sessions', {
  id: uuid('id').primaryKey().defaultRandom(),
  /** A browser's token is in a cookie; a device (RFC 8628) shows its own as a bearer, and may do less. */
  kind: text('kind', { enum: ['browser', 'device'] })
    .notNull()
    .default('browser'),
  /** SHA-256 of the token, hex: a dump of this table signs no one in. */
  token_hash: text('token_hash').notNull(),
  profile_id: uuid('profile_id').notNull(),
  created_at: moment('created_at').notNull().default(sql`now()`),
  expires_at: moment('expires_at').notNull(),
  /** Browser and system in words, for the list of sessions, never the whole User-Agent; or the host of a device. */
  label: text('label'),
  /** Precise to 15 minutes: enough to recognise an old session. */
  last_seen_at: moment('last_seen_at').notNull().default(sql`now()`),
});

/** Devices that wait until a person lets them in. Unlogged, so that no log and no backup keeps their networks. */
export const device_codes = pgTable('device_codes', {
  id: uuid('id').primaryKey().defaultRandom(),
  device_code_hash: text('device_code_hash').notNull(),
  user_code_hash: text('user_code_hash').notNull(),
  client: text('client').notNull(),
  host: text('host').notNull(),
  /** The address that asked, or the /64 of an IPv6 address: the person compares it. */
  network: text('network').notNull(),
  /** The session in which a person clicked Allow. The code goes with it: signing out and bans end both. */
  allowed_by: uuid('allowed_by'),
  is_refused: boolean('is_refused').notNull().default(false),
  interval_seconds: integer('interval_seconds').notNull(),
  polled_at: moment('polled_at'),
  created_at: moment('created_at').notNull().default(sql`now()`),
  expires_at: moment('expires_at').notNull(),
});
