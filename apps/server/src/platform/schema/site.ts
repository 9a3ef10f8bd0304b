import { sql } from 'drizzle-orm';
import { boolean, date, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment, wholeNumber } from './columns.ts';

/** The site itself, and what its nodes share. */

/**
 * The process that holds the site, and the directory that belongs to it (decision 019): one row for DATA_DIR, and one
 * for the keys, which may be on a key service. `site-lock.ts` writes the rows, `require_site` in the database reads
 * them.
 */
export const site = pgTable('site', {
  /** `site` or `keys`. */
  role: text('role').primaryKey(),
  /** The same in each row, and in the file `site-id` of the directory. */
  id: uuid('id').notNull(),
  /** True when the directory stores the id durably. */
  is_paired: boolean('is_paired').notNull().default(false),
  /** A random id of each process; only connections that name it may write. */
  holder: uuid('holder'),
  /** The name of the holder, for the message to a process that is refused. */
  holder_name: text('holder_name'),
});

/** What operators have switched off for the whole site; a switch without a row is on. */
export const site_switches = pgTable('site_switches', {
  name: text('name').primaryKey(),
  is_off: boolean('is_off').notNull(),
});

/** Settings that all running nodes have in common, as keyed hashes: a node with another value is refused at its start. */
export const node_settings = pgTable('node_settings', {
  name: text('name').primaryKey(),
  fingerprint: text('fingerprint').notNull(),
});

/**
 * What tells strangers apart today, where several nodes share a site: sealed under SESSION_SECRET, and deleted when its
 * day (UTC, by the database's clock) is over.
 */
export const visitor_salts = pgTable('visitor_salts', {
  day: date('day').primaryKey(),
  sealed_salt: text('sealed_salt').notNull(),
});

/**
 * Calls that the nodes of one site counted in a window of time. The name of a counter is a keyed hash of limit, client
 * and window: it does not identify a person, and two windows of one client can't be linked.
 */
export const rate_counts = pgTable('rate_counts', {
  counter: text('counter').primaryKey(),
  count: integer('count').notNull(),
  ends_at: moment('ends_at').notNull(),
});

/** The Discord and the application that told this site last who people are: one row. */
export const discord_issuer = pgTable('discord_issuer', {
  id: integer('id').primaryKey(),
  /** `discord.com`, or `localhost` for the sandbox. */
  api_host: text('api_host').notNull(),
  client_id: text('client_id').notNull(),
});

/**
 * What people and operators took back, until the journal beside the key shares has it (platform/keys/taken-back-journal.ts).
 * Triggers insert the rows.
 */
export const taken_back = pgTable('taken_back', {
  id: wholeNumber('id').primaryKey().default(sql`nextval('taken_back_id')`),
  at: moment('at').notNull().default(sql`clock_timestamp()`),
  kind: text('kind').notNull(),
  /** An id, or what a row is called by. */
  ref: text('ref').notNull(),
  /** What was decided, where the ref alone does not say it; null for what is simply gone, and for what was lifted. */
  detail: jsonb('detail'),
});
