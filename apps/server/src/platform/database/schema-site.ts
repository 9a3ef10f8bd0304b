import { boolean, pgTable, text, uuid } from 'drizzle-orm/pg-core';

/**
 * Which process has the site, and which directory belongs to it (decision 019): a row for what lies in DATA_DIR, and one for
 * the keys, which a key service may have. `site-lock.ts` writes it, and `require_site` in the database reads it.
 */
export const site = pgTable('site', {
  /** `site` or `keys`. */
  role: text('role').primaryKey(),
  /** The same in each row, and in the file `site-id` of the directory. */
  id: uuid('id').notNull(),
  /** The directory has the id, durably. */
  is_paired: boolean('is_paired').notNull().default(false),
  /** Made at random by each process; only connections that name it may write. */
  holder: uuid('holder'),
  /** What a process that is refused says of this one. */
  holder_name: text('holder_name'),
});
