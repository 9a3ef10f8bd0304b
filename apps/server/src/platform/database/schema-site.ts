import { boolean, pgTable, text, uuid } from 'drizzle-orm/pg-core';

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
