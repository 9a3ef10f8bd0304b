import { bigint, timestamp } from 'drizzle-orm/pg-core';

/**
 * The tables in this folder are what queries are typed by: columns with the names of the specification. `migrations.ts`
 * creates them, and has their keys, checks and indexes; a test compares the columns of both.
 */

export const moment = (name: string) => timestamp(name, { withTimezone: true, mode: 'date', precision: 3 });
export const wholeNumber = (name: string) => bigint(name, { mode: 'number' });
