import { type AnyColumn, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Config } from '../config.ts';
import { type Db, inTransaction, type Tx } from '../platform/database/db.ts';
import { profiles, sessions } from '../platform/schema/accounts.ts';
import { guild_settings, interactions, upload_intents } from '../platform/schema/bot.ts';
import { folder_grants, folder_guests, folder_shares } from '../platform/schema/links.ts';
import { bans, operator_acts, operator_keys } from '../platform/schema/moderation.ts';
import { discord_issuer } from '../platform/schema/site.ts';
import { isLoopback } from '../setting-types.ts';

/**
 * Who tells a site which person is there: a Discord, and the application by which the site asks it. An id means a person
 * of one Discord only: the sandbox gives the same ids to other people.
 */
export type Issuer = Omit<typeof discord_issuer.$inferSelect, 'id'>;

/** The sandbox is one Discord on whichever port of this machine it listens. */
export function issuerOf({ apiUrl, clientId }: Pick<Config['discord'], 'apiUrl' | 'clientId'>): Issuer {
  const { host, hostname } = new URL(apiUrl);
  return { api_host: isLoopback(hostname) ? 'localhost' : host, client_id: clientId };
}

/** What a start with another issuer than before ended. */
export interface IssuerChange {
  readonly before: Issuer;
  readonly sessions: number;
  readonly grants: number;
  readonly guests: number;
  readonly intents: number;
  readonly accounts_set_aside: number;
  readonly accounts_returned: number;
}

const LOCK = 7_234_121;

/** Columns that hold ids of Discord for longer than minutes. */
const IDS: readonly (readonly [PgTable, AnyColumn])[] = [
  [bans, bans.discord_id],
  [operator_keys, operator_keys.discord_id],
  [folder_shares, folder_shares.discord_id],
  [folder_shares, folder_shares.guild_id],
  [guild_settings, guild_settings.guild_id],
  [operator_acts, operator_acts.operator_discord_id],
];
/** Acts of operators upon persons, whose target is an id of Discord. */
const ON_PERSON = sql`act in ('ban', 'unban', 'tier')`;

const countOf = (result: unknown): number => Number((result as { rowCount: number | null }).rowCount);

/** Sets the ids of the Discord `from` aside, by naming it after an @, and restores the ids of the Discord `to`. */
async function renameIds(
  tx: Tx,
  [from, to]: [string, string],
  [table, column]: [PgTable, AnyColumn],
  which = sql`true`,
) {
  const name = sql.identifier(column.name);
  const setAside = await tx.execute(
    sql`update ${table} set ${name} = ${name} || ${`@${from}`}::text where ${name} ~ '^[0-9]+$' and ${which}`,
  );
  const returned = await tx.execute(sql`
    update ${table} set ${name} = split_part(${name}, '@', 1)
    where split_part(${name}, '@', 2) = ${to}::text and ${which}`);
  return { accounts_set_aside: countOf(setAside), accounts_returned: countOf(returned) };
}

/**
 * People of the former Discord keep accounts, bans and folders, but no query finds their ids, until the site is back with
 * that Discord.
 */
async function changeDiscord(tx: Tx, from: string, to: string) {
  for (const [table, column] of IDS) await renameIds(tx, [from, to], [table, column]);
  await renameIds(tx, [from, to], [operator_acts, operator_acts.target], ON_PERSON);
  return renameIds(tx, [from, to], [profiles, profiles.discord_id]);
}

/**
 * Makes this issuer the site's. Another one than before ends what the former vouched for, and another Discord sets the ids
 * of the former aside.
 * @returns null at the first start, and when the issuer is the same as before
 */
export const adoptIssuer = (db: Db, issuer: Issuer): Promise<IssuerChange | null> =>
  inTransaction(db, async (tx) => {
    // Nodes that start at the same time wait for each other, and a large site takes long.
    await tx.execute(sql`set local lock_timeout = 0`);
    await tx.execute(sql`set local statement_timeout = 0`);
    await tx.execute(sql`select pg_advisory_xact_lock(${LOCK}::integer)`);
    const [before] = await tx
      .select({ api_host: discord_issuer.api_host, client_id: discord_issuer.client_id })
      .from(discord_issuer);
    if (before?.api_host === issuer.api_host && before.client_id === issuer.client_id) return null;
    await tx
      .insert(discord_issuer)
      .values({ ...issuer, id: 1 })
      .onConflictDoUpdate({ target: discord_issuer.id, set: issuer });
    if (!before) return null;
    await tx.delete(interactions);
    return {
      before,
      sessions: countOf(await tx.delete(sessions)),
      grants: countOf(await tx.delete(folder_grants)),
      guests: countOf(await tx.delete(folder_guests)),
      intents: countOf(await tx.delete(upload_intents)),
      ...(before.api_host === issuer.api_host
        ? { accounts_set_aside: 0, accounts_returned: 0 }
        : await changeDiscord(tx, before.api_host, issuer.api_host)),
    };
  });

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

/** One line for the log. */
export function issuerChangeText({ before, ...change }: IssuerChange): string {
  const ended = [
    counted(change.sessions, 'session'),
    counted(change.grants, 'grant'),
    counted(change.guests, 'guest'),
    counted(change.intents, 'intent'),
  ];
  return (
    `the site has another Discord or application than before (${before.api_host}, ${before.client_id}): ` +
    `${ended.join(', ')} ended, ${counted(change.accounts_set_aside, 'account')} set aside, ` +
    `${counted(change.accounts_returned, 'account')} returned`
  );
}
