import { sql } from 'drizzle-orm';
import { boolean, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment, wholeNumber } from './columns.ts';

/** Folders, their addresses, and what is counted of their visits. */

/** Taken slugs: of folders, and for a time of deleted and expired ones (docs/decisions/016). */
export const slugs = pgTable('slugs', {
  slug: text('slug').primaryKey(),
  /** Set once the sweeper has deleted an expired folder, so that its address still says Expired. */
  expires_at: moment('expires_at'),
  /** A deleted folder answers why by these two, too: 410 Expired, or taken down. Null after an owner's Delete. */
  folder_id: uuid('folder_id'),
  storage_path: text('storage_path'),
  /** Why an operator took the folder down; the slug answers 410 with the reason. */
  taken_down_reason: text('taken_down_reason'),
  /** True when the folder was restricted: only people who could know of it get the reason. */
  restricted: boolean('restricted').notNull().default(false),
  /** When the row is purged, 30 days after its folder; null while the folder exists, and after a takedown. */
  purge_at: moment('purge_at'),
});

export const folders = pgTable('folders', {
  id: uuid('id').primaryKey().defaultRandom(),
  slug: text('slug').notNull(),
  name: text('name'),
  description: text('description'),
  created_at: moment('created_at').notNull().default(sql`now()`),
  expires_at: moment('expires_at').notNull(),
  bucket: text('bucket').notNull(),
  bucket_storage_path: text('bucket_storage_path').notNull(),
  size_bytes: wholeNumber('size_bytes').notNull().default(0),
  file_count: integer('file_count').notNull().default(0),
  owner_profile_id: uuid('owner_profile_id').notNull(),
  link_mode: text('link_mode', { enum: ['plain', 'private', 'discord', 'revoked'] }).notNull(),
  access: text('access', { enum: ['link', 'restricted'] })
    .notNull()
    .default('link'),
  hide_names: boolean('hide_names').notNull().default(true),
  /** True when previews of a plain folder's link show its name. */
  show_name_in_previews: boolean('show_name_in_previews').notNull().default(false),
  /** Set when the folder is deleted: no request finds it any more, and the sweeper purges what it leaves. */
  deleted_at: moment('deleted_at'),
});

/** Views and downloads of a folder by the hour: at most one row for each hour of its life. */
export const folder_activity = pgTable('folder_activity', {
  folder_id: uuid('folder_id').notNull(),
  hour: moment('hour').notNull(),
  views: wholeNumber('views').notNull().default(0),
  downloads: wholeNumber('downloads').notNull().default(0),
  /** Visitors seen in this hour for the first time: the sum is the number of unique visitors. */
  visitors: wholeNumber('visitors').notNull().default(0),
});

/**
 * The visitors of a folder. A visitor who is not signed in is a pseudonym under the salt of the day and is purged with
 * that salt; a signed-in visitor is a profile, and stays as long as folder and profile do.
 */
export const folder_visitors = pgTable('folder_visitors', {
  folder_id: uuid('folder_id').notNull(),
  visitor: text('visitor').notNull(),
  profile_id: uuid('profile_id'),
  first_seen_at: moment('first_seen_at').notNull(),
  last_seen_at: moment('last_seen_at').notNull(),
  /** When a view of this visitor was last counted: the next one counts after a pause. */
  counted_at: moment('counted_at'),
  views: wholeNumber('views').notNull().default(0),
  downloads: wholeNumber('downloads').notNull().default(0),
});
