/**
 * The migration for several nodes of one site (decision 028). As in migrations.ts, it is never edited.
 *
 * The salts are unlogged: the write-ahead log and its backups would keep them beyond their day.
 */
export const NODE_STATEMENTS: readonly string[] = [
  `create unlogged table visitor_salts (
    day date primary key,
    sealed_salt text not null
  )`,
  `create table node_settings (
    name text primary key,
    fingerprint text not null
  )`,
  ...['visitor_salts', 'node_settings'].map(
    (table) =>
      `create trigger require_site before insert or update or delete on ${table} for each statement execute function require_site()`,
  ),
  'alter table upload_intents add column telling_until timestamptz(3)',
];
