import { sql } from 'drizzle-orm';
import { boolean, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment, wholeNumber } from './columns.ts';

/** Files, uploads, and the blobs that they name. */

export const files = pgTable('files', {
  id: uuid('id').primaryKey().defaultRandom(),
  folder_id: uuid('folder_id').notNull(),
  name: text('name').notNull(),
  size_bytes: wholeNumber('size_bytes').notNull(),
  mimetype: text('mimetype').notNull(),
  cache_control: text('cache_control').notNull(),
  sealed: text('sealed'),
  /** Name of the bytes in the store, made by the server; it holds nothing about a person. */
  blob_key: uuid('blob_key').notNull(),
  /** The blob of its still, small and then large, and the bytes of each (docs/container.md §6); null without a still. */
  still_key: uuid('still_key'),
  still_small_bytes: integer('still_small_bytes'),
  still_large_bytes: integer('still_large_bytes'),
  /** The CRC-32 of the file's bytes (docs/decisions/032). */
  checksum: wholeNumber('checksum').notNull(),
  /** The CRC-32 of the still's bytes; null without a still. */
  still_checksum: wholeNumber('still_checksum'),
  created_at: moment('created_at').notNull().default(sql`now()`),
  updated_at: moment('updated_at').notNull().default(sql`now()`),
});

export const uploads = pgTable('uploads', {
  id: uuid('id').primaryKey().defaultRandom(),
  folder_id: uuid('folder_id').notNull(),
  profile_id: uuid('profile_id').notNull(),
  name: text('name').notNull(),
  mimetype: text('mimetype').notNull(),
  cache_control: text('cache_control').notNull(),
  sealed: text('sealed'),
  upsert: boolean('upsert').notNull().default(false),
  /** The Upload-Metadata header as it was sent, for HEAD. */
  metadata: text('metadata').notNull(),
  length_bytes: wholeNumber('length_bytes').notNull(),
  /** Acknowledged bytes: durable in the store before they are counted here. */
  offset_bytes: wholeNumber('offset_bytes').notNull().default(0),
  /** The CRC-32 of the acknowledged bytes. */
  checksum: wholeNumber('checksum').notNull().default(0),
  blob_key: uuid('blob_key').notNull(),
  /** The lease: a holder with an older epoch can't commit. */
  lease_epoch: integer('lease_epoch').notNull().default(0),
  completed_at: moment('completed_at'),
  created_at: moment('created_at').notNull().default(sql`now()`),
  expires_at: moment('expires_at').notNull(),
});

/** Uploads that expired or were deleted with their folder: for a while their owner gets 410 instead of 404. */
export const gone_uploads = pgTable('gone_uploads', {
  id: uuid('id').primaryKey(),
  profile_id: uuid('profile_id').notNull(),
  gone_at: moment('gone_at').notNull().default(sql`now()`),
});

/**
 * What blobs consist of: a part is the bytes from its start up to the start of the next one, or to the end of the blob.
 * Bytes before the first row are in the part that is stored under the blob's own name; most blobs have no row.
 */
export const blob_parts = pgTable('blob_parts', {
  blob_key: uuid('blob_key').notNull(),
  start_bytes: wholeNumber('start_bytes').notNull(),
  /** The store's own name of the part. */
  name: text('name').notNull(),
});

/** The queue of blobs to purge: every blob has a row in files, uploads or here. */
export const blob_removals = pgTable('blob_removals', {
  blob_key: uuid('blob_key').primaryKey(),
  queued_at: moment('queued_at').notNull().default(sql`now()`),
  attempts: integer('attempts').notNull().default(0),
  /** Not purged before this time: a takedown is still hashing the blob for the denylist. */
  held_until: moment('held_until'),
});
