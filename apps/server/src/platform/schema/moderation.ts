import { sql } from 'drizzle-orm';
import { pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment, wholeNumber } from './columns.ts';

/** Reports, and what operators decide. */

/** Reports of folders, without any trace of the reporter. */
export const reports = pgTable('reports', {
  id: uuid('id').primaryKey().defaultRandom(),
  slug: text('slug').notNull(),
  reason: text('reason').notNull(),
  note: text('note'),
  /** JSON: the keys that open the folder, sealed to the keys of operators. */
  sealed_keys: text('sealed_keys').notNull().default('[]'),
  created_at: moment('created_at').notNull().default(sql`now()`),
  closed_at: moment('closed_at'),
  outcome: text('outcome', { enum: ['dismissed', 'taken_down'] }),
});

/** Public keys of operators, to which reporters seal; the private keys stay in operators' browsers. */
export const operator_keys = pgTable('operator_keys', {
  id: uuid('id').primaryKey().defaultRandom(),
  discord_id: text('discord_id').notNull(),
  public_key: text('public_key').notNull(),
  created_at: moment('created_at').notNull().default(sql`now()`),
});

/** Bans by Discord id: deleting the account lifts no ban. */
export const bans = pgTable('bans', {
  discord_id: text('discord_id').primaryKey(),
  reason: text('reason').notNull(),
  created_at: moment('created_at').notNull().default(sql`now()`),
});

/** Stored bytes that are refused. Only a file of a denied size is hashed. */
export const denied_blobs = pgTable('denied_blobs', {
  sha256: text('sha256').primaryKey(),
  size_bytes: wholeNumber('size_bytes').notNull(),
  reason: text('reason').notNull(),
  created_at: moment('created_at').notNull().default(sql`now()`),
});

/** The audit log of operators. Rows are only added. */
export const operator_acts = pgTable('operator_acts', {
  id: uuid('id').primaryKey().defaultRandom(),
  at: moment('at').notNull().default(sql`now()`),
  operator_discord_id: text('operator_discord_id').notNull(),
  act: text('act').notNull(),
  target: text('target').notNull(),
  detail: text('detail'),
});
