import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';

/**
 * The tables. Columns have the names of the specification; `migrations.ts` creates them, and a test compares both. The hash
 * indexes of page reads are there alone (decision 034).
 */

export const moment = (name: string) => timestamp(name, { withTimezone: true, mode: 'date', precision: 3 });
const bytes = (name: string) => bigint(name, { mode: 'number' });

export const profiles = pgTable('profiles', {
  id: uuid('id').primaryKey().defaultRandom(),
  name: text('name'),
  email: text('email'),
  discord_id: text('discord_id').notNull().unique(),
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
  /** Exactly the sum of the stored files and their stills, and of the open uploads, of this profile (DESIGN §6). */
  used_bytes: bytes('used_bytes').notNull().default(0),
  reserved_bytes: bytes('reserved_bytes').notNull().default(0),
  created_at: moment('created_at').notNull().default(sql`now()`),
});

export const sessions = pgTable(
  'sessions',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    /** SHA-256 of the cookie's token, hex: a dump of this table signs no one in. */
    token_hash: text('token_hash').notNull().unique(),
    profile_id: uuid('profile_id')
      .notNull()
      .references(() => profiles.id, { onDelete: 'cascade' }),
    created_at: moment('created_at').notNull().default(sql`now()`),
    expires_at: moment('expires_at').notNull(),
    /** Browser and system in words, for the list of sessions; never the whole User-Agent. */
    label: text('label'),
    /** Precise to 15 minutes: enough to recognise an old session. */
    last_seen_at: moment('last_seen_at').notNull().default(sql`now()`),
  },
  (table) => [index('sessions_profile_id').on(table.profile_id), index('sessions_expires_at').on(table.expires_at)],
);

/** Taken slugs: of folders, and for a time of deleted and expired ones (DESIGN R17, docs/decisions/016). */
export const slugs = pgTable(
  'slugs',
  {
    slug: text('slug').primaryKey(),
    /** Set once the sweeper has deleted an expired folder, so that its address still says Expired. */
    expires_at: moment('expires_at'),
    /** A deleted folder answers why by these two, too: 410 Expired, or taken down. Null after an owner's Delete. */
    folder_id: uuid('folder_id').unique(),
    storage_path: text('storage_path').unique(),
    /** Why an operator took the folder down; the slug answers 410 with the reason. */
    taken_down_reason: text('taken_down_reason'),
    /** True when the folder was restricted: only people who could know of it get the reason (R16). */
    restricted: boolean('restricted').notNull().default(false),
    /** When the row is purged, 30 days after its folder; null while the folder exists, and after a takedown. */
    purge_at: moment('purge_at'),
  },
  (table) => [index('slugs_purge_at').on(table.purge_at)],
);

export const folders = pgTable(
  'folders',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    slug: text('slug')
      .notNull()
      .unique()
      .references(() => slugs.slug),
    name: text('name'),
    description: text('description'),
    created_at: moment('created_at').notNull().default(sql`now()`),
    expires_at: moment('expires_at').notNull(),
    bucket: text('bucket').notNull(),
    bucket_storage_path: text('bucket_storage_path').notNull().unique(),
    size_bytes: bytes('size_bytes').notNull().default(0),
    file_count: integer('file_count').notNull().default(0),
    owner_profile_id: uuid('owner_profile_id')
      .notNull()
      .references(() => profiles.id),
    link_mode: text('link_mode', { enum: ['plain', 'private', 'discord', 'revoked'] }).notNull(),
    access: text('access', { enum: ['link', 'restricted'] })
      .notNull()
      .default('link'),
    hide_names: boolean('hide_names').notNull().default(true),
    /** True when previews of a plain folder's link show its name. */
    show_name_in_previews: boolean('show_name_in_previews').notNull().default(false),
    /** Set when the folder is deleted: no request finds it any more, and the sweeper purges what it leaves. */
    deleted_at: moment('deleted_at'),
  },
  (table) => [
    index('folders_owner').on(table.owner_profile_id, table.created_at),
    index('folders_live_until').on(table.expires_at).where(sql`deleted_at is null`),
    index('folders_deleted_at').on(table.deleted_at).where(sql`deleted_at is not null`),
  ],
);

/**
 * The keys of links, as far as the database stores them. The key share of a private link is never in the database
 * (CONTAINER §3).
 */
export const temp_encryption_keys = pgTable(
  'temp_encryption_keys',
  {
    folder_id: uuid('folder_id')
      .primaryKey()
      .references(() => folders.id, { onDelete: 'cascade' }),
    slug: text('slug').notNull(),
    /** A private link's sealed_key, or a Discord link's keys, sealed by this server. */
    encrypted_key: text('encrypted_key').notNull(),
    /** Never after that of the folder. */
    expires_at: moment('expires_at').notNull(),
    owner_user_id: uuid('owner_user_id').notNull(),
    api_token: text('api_token').notNull(),
    created_at: moment('created_at').notNull().default(sql`now()`),
    /** The key share of this link among those of the folder; null for a Discord link. */
    share_id: uuid('share_id'),
    /** SHA-256 of the passphrase's proof, base64url; null without a passphrase. */
    proof_hash: text('proof_hash'),
    /** The latest end of the key, however long its folder lives; null for no end of its own. */
    latest_at: moment('latest_at'),
  },
  (table) => [index('temp_encryption_keys_expires_at').on(table.expires_at)],
);

/** Wrong passphrases of the last hour: in the database, so that a restart gives no new tries (CONTAINER §3). */
export const passphrase_tries = pgTable(
  'passphrase_tries',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    folder_id: uuid('folder_id')
      .notNull()
      .references(() => folders.id, { onDelete: 'cascade' }),
    tried_at: moment('tried_at').notNull(),
    /** The client, as its pseudonym of the day: one client can't use up the tries of all. */
    client: text('client'),
  },
  (table) => [
    index('passphrase_tries_folder').on(table.folder_id, table.tried_at),
    index('passphrase_tries_tried_at').on(table.tried_at),
  ],
);

export const files = pgTable(
  'files',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    folder_id: uuid('folder_id')
      .notNull()
      .references(() => folders.id),
    name: text('name').notNull(),
    size_bytes: bytes('size_bytes').notNull(),
    mimetype: text('mimetype').notNull(),
    cache_control: text('cache_control').notNull(),
    sealed: text('sealed'),
    /** Name of the bytes in the store, made by the server; it holds nothing about a person. */
    blob_key: uuid('blob_key').notNull().unique(),
    /** The blob of its still, small and then large, and the bytes of each (CONTAINER §6); null without a still. */
    still_key: uuid('still_key'),
    still_small_bytes: integer('still_small_bytes'),
    still_large_bytes: integer('still_large_bytes'),
    /** The CRC-32 of the file's bytes (docs/decisions/032). */
    checksum: bigint('checksum', { mode: 'number' }).notNull(),
    /** The CRC-32 of the still's bytes; null without a still. */
    still_checksum: bigint('still_checksum', { mode: 'number' }),
    created_at: moment('created_at').notNull().default(sql`now()`),
    updated_at: moment('updated_at').notNull().default(sql`now()`),
  },
  (table) => [
    uniqueIndex('files_folder_name').on(table.folder_id, table.name),
    index('files_by_name').on(table.folder_id, sql`${table.name} collate "C"`),
    index('files_by_creation').on(table.folder_id, table.created_at, sql`${table.name} collate "C"`),
    index('files_by_update').on(table.folder_id, table.updated_at, sql`${table.name} collate "C"`),
    uniqueIndex('files_still_key').on(table.still_key).where(sql`still_key is not null`),
  ],
);

export const uploads = pgTable(
  'uploads',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    folder_id: uuid('folder_id')
      .notNull()
      .references(() => folders.id),
    profile_id: uuid('profile_id').notNull(),
    name: text('name').notNull(),
    mimetype: text('mimetype').notNull(),
    cache_control: text('cache_control').notNull(),
    sealed: text('sealed'),
    upsert: boolean('upsert').notNull().default(false),
    /** The Upload-Metadata header as it was sent, for HEAD. */
    metadata: text('metadata').notNull(),
    length_bytes: bytes('length_bytes').notNull(),
    /** Acknowledged bytes: durable in the store before they are counted here. */
    offset_bytes: bytes('offset_bytes').notNull().default(0),
    /** The CRC-32 of the acknowledged bytes. */
    checksum: bigint('checksum', { mode: 'number' }).notNull().default(0),
    blob_key: uuid('blob_key').notNull().unique(),
    /** The lease of DESIGN §6: a holder with an older epoch can't commit. */
    lease_epoch: integer('lease_epoch').notNull().default(0),
    completed_at: moment('completed_at'),
    created_at: moment('created_at').notNull().default(sql`now()`),
    expires_at: moment('expires_at').notNull(),
  },
  (table) => [
    index('uploads_folder').on(table.folder_id),
    index('uploads_expires_at').on(table.expires_at),
    // Counted at the creation of each upload.
    index('uploads_open').on(table.profile_id, table.id).where(sql`completed_at is null`),
  ],
);

/** Uploads that expired or were deleted with their folder: for a while their owner gets 410 instead of 404. */
export const gone_uploads = pgTable(
  'gone_uploads',
  {
    id: uuid('id').primaryKey(),
    profile_id: uuid('profile_id').notNull(),
    gone_at: moment('gone_at').notNull().default(sql`now()`),
  },
  (table) => [index('gone_uploads_gone_at').on(table.gone_at), index('gone_uploads_profile').on(table.profile_id)],
);

/** The queue of blobs to purge: every blob has a row in files, uploads or here (DESIGN §6). */
export const blob_removals = pgTable(
  'blob_removals',
  {
    blob_key: uuid('blob_key').primaryKey(),
    queued_at: moment('queued_at').notNull().default(sql`now()`),
    attempts: integer('attempts').notNull().default(0),
    /** Not purged before this time: a takedown is still hashing the blob for the denylist. */
    held_until: moment('held_until'),
  },
  (table) => [index('blob_removals_order').on(table.attempts, table.queued_at)],
);

/** Views and downloads of a folder by the hour (DESIGN R7): at most one row for each hour of its life. */
export const folder_activity = pgTable(
  'folder_activity',
  {
    folder_id: uuid('folder_id')
      .notNull()
      .references(() => folders.id, { onDelete: 'cascade' }),
    hour: moment('hour').notNull(),
    views: bigint('views', { mode: 'number' }).notNull().default(0),
    downloads: bigint('downloads', { mode: 'number' }).notNull().default(0),
    /** Visitors seen in this hour for the first time: the sum is the number of unique visitors. */
    visitors: bigint('visitors', { mode: 'number' }).notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.folder_id, table.hour] })],
);

/**
 * The visitors of a folder. A visitor who is not signed in is a pseudonym under the salt of the day and is purged with
 * that salt; a signed-in visitor is a profile, and stays as long as folder and profile do.
 */
export const folder_visitors = pgTable(
  'folder_visitors',
  {
    folder_id: uuid('folder_id')
      .notNull()
      .references(() => folders.id, { onDelete: 'cascade' }),
    visitor: text('visitor').notNull(),
    profile_id: uuid('profile_id').references(() => profiles.id, { onDelete: 'cascade' }),
    first_seen_at: moment('first_seen_at').notNull(),
    last_seen_at: moment('last_seen_at').notNull(),
    /** When a view of this visitor was last counted: the next one counts after a pause. */
    counted_at: moment('counted_at'),
    views: bigint('views', { mode: 'number' }).notNull().default(0),
    downloads: bigint('downloads', { mode: 'number' }).notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.folder_id, table.visitor] }),
    index('folder_visitors_profile').on(table.profile_id),
    index('folder_visitors_seen').on(table.last_seen_at).where(sql`profile_id is null`),
  ],
);

/** Grants by a click in Discord (DESIGN R16): good once and for five minutes, stored as a hash. */
export const folder_grants = pgTable(
  'folder_grants',
  {
    token_hash: text('token_hash').primaryKey(),
    folder_id: uuid('folder_id')
      .notNull()
      .references(() => folders.id, { onDelete: 'cascade' }),
    created_at: moment('created_at').notNull().default(sql`now()`),
    expires_at: moment('expires_at').notNull(),
  },
  (table) => [
    index('folder_grants_expires_at').on(table.expires_at),
    index('folder_grants_folder').on(table.folder_id),
  ],
);

/** Browsers that redeemed a grant: each has one random token in a cookie, stored as a hash. */
export const folder_guests = pgTable(
  'folder_guests',
  {
    folder_id: uuid('folder_id')
      .notNull()
      .references(() => folders.id, { onDelete: 'cascade' }),
    holder_hash: text('holder_hash').notNull(),
    created_at: moment('created_at').notNull().default(sql`now()`),
  },
  (table) => [primaryKey({ columns: [table.folder_id, table.holder_hash] })],
);

/** Reports of folders, without any trace of the reporter. */
export const reports = pgTable(
  'reports',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    slug: text('slug').notNull(),
    reason: text('reason').notNull(),
    note: text('note'),
    /** JSON: the keys that open the folder, sealed to the keys of operators. */
    sealed_keys: text('sealed_keys').notNull().default('[]'),
    created_at: moment('created_at').notNull().default(sql`now()`),
    closed_at: moment('closed_at'),
    outcome: text('outcome', { enum: ['dismissed', 'taken_down'] }),
  },
  (table) => [
    index('reports_slug').on(table.slug),
    index('reports_open').on(table.created_at, table.id).where(sql`closed_at is null`),
    index('reports_closed').on(table.created_at, table.id).where(sql`closed_at is not null`),
    index('reports_closed_at').on(table.closed_at).where(sql`closed_at is not null`),
  ],
);

/** Public keys of operators, to which reporters seal; the private keys stay in operators' browsers. */
export const operator_keys = pgTable('operator_keys', {
  id: uuid('id').primaryKey().defaultRandom(),
  discord_id: text('discord_id').notNull(),
  public_key: text('public_key').notNull(),
  created_at: moment('created_at').notNull().default(sql`now()`),
});

/** Bans by Discord id: deleting the account lifts no ban. */
export const bans = pgTable(
  'bans',
  {
    discord_id: text('discord_id').primaryKey(),
    reason: text('reason').notNull(),
    created_at: moment('created_at').notNull().default(sql`now()`),
  },
  (table) => [index('bans_order').on(table.created_at, table.discord_id)],
);

/** Stored bytes that are refused. Only a file of a denied size is hashed. */
export const denied_blobs = pgTable(
  'denied_blobs',
  {
    sha256: text('sha256').primaryKey(),
    size_bytes: bytes('size_bytes').notNull(),
    reason: text('reason').notNull(),
    created_at: moment('created_at').notNull().default(sql`now()`),
  },
  (table) => [
    index('denied_blobs_size').on(table.size_bytes),
    index('denied_blobs_order').on(table.created_at, table.sha256),
  ],
);

/** The audit log of operators. Rows are only added. */
export const operator_acts = pgTable(
  'operator_acts',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    at: moment('at').notNull().default(sql`now()`),
    operator_discord_id: text('operator_discord_id').notNull(),
    act: text('act').notNull(),
    target: text('target').notNull(),
    detail: text('detail'),
  },
  (table) => [index('operator_acts_order').on(table.at, table.id)],
);
