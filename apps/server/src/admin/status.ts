import { sql } from 'drizzle-orm';
import type { Checks, Verdicts } from '../domain/site-checks.ts';
import { readSiteFigures, type SiteFigures } from '../domain/site-figures.ts';
import type { BlobStore } from '../platform/blobs/blobs.ts';
import { newestMigration, type Queryable, rowsOf, schemaStepOf } from '../platform/database/db.ts';
import type { LocalKeyShares } from '../platform/keys/key-shares.ts';
import { LOCK_SPACE, ROLES } from '../platform/site/site-lock-keys.ts';
import type { Program } from '../program.ts';

/** How a site does: what it holds, what waits, what runs. Figures alone, none of one person or folder. */

export interface StatusDeps {
  readonly db: Queryable;
  /** Null where the store is not to be listed: it takes minutes where there are millions of files. */
  readonly blobs: BlobStore | null;
  /** Null when a key service on another machine stores them. */
  readonly keyShares: LocalKeyShares | null;
  /** Of what all nodes share. */
  readonly checkShared: Checks['shared'];
  readonly program: Program;
}

/** What an operator has to look at, with what it means. */
export const CONCERNS = {
  schema: 'database and program are of different versions: migrate, or start the newer program',
  sweep_late: 'folders expired more than 15 minutes ago and no sweep has come: is the server running?',
  keys_late: 'keys expired more than 15 minutes ago and no sweep has come: is the server, or the key service, running?',
  blob_store: 'the store of BLOBS_URL can’t be written and read from here: no node can, or this machine alone',
  key_service: 'the key service is not ready: encrypted folders can’t be made, nor links changed',
  purge_late: 'bytes have waited for more than an hour to be deleted: the log of the server says why',
} as const;
export type Concern = keyof typeof CONCERNS;

export interface Status {
  readonly program: string;
  readonly commit: Program['commit'];
  readonly is_changed: boolean;
  readonly node: string;
  readonly postgres: string;
  readonly schema_step: number;
  readonly program_step: number;
  readonly site_id: string | null;
  /** Processes that have the site now, each a node or a key service. */
  readonly processes: number;
  /** Null while the schema is another one. */
  readonly figures: SiteFigures | null;
  readonly keys: { readonly private_links: number; readonly discord_links: number; readonly key_shares: number | null };
  /** How the parts do that all nodes share beside the database, as far as this site has any. */
  readonly shared: Verdicts;
  /** The objects in the store, also ones that no row names yet or any more; null if the store was not listed. */
  readonly stored: { readonly parts: number; readonly bytes: number } | null;
  readonly concerns: readonly Concern[];
}

/** A folder is swept within this time. */
const SWEPT_WITHIN_SECONDS = 15 * 60;
const PURGED_WITHIN_SECONDS = 60 * 60;

async function storedIn(blobs: BlobStore): Promise<{ parts: number; bytes: number }> {
  let parts = 0;
  let bytes = 0;
  for await (const { sizeBytes } of blobs.list('')) {
    parts += 1;
    bytes += sizeBytes;
  }
  return { parts, bytes };
}

async function countShares(keyShares: LocalKeyShares): Promise<number> {
  let count = 0;
  for await (const shares of keyShares.walk()) count += shares.length;
  return count;
}

async function countProcesses(db: Queryable): Promise<number> {
  const holders = await db.execute(sql`
    select distinct pid from pg_locks where locktype = 'advisory' and granted and classid = ${LOCK_SPACE}::int::oid
    and objid in (${ROLES.site}::int::oid, ${ROLES.keys}::int::oid)
    and database = (select oid from pg_database where datname = current_database())`);
  return rowsOf(holders).length;
}

async function countKeys(db: Queryable): Promise<{ private_links: number; discord_links: number }> {
  const [row] = rowsOf<{ private_links: string; discord_links: string }>(
    await db.execute(sql`
      select count(*) filter (where share_id is not null) as private_links,
        count(*) filter (where share_id is null) as discord_links from temp_encryption_keys`),
  );
  return { private_links: Number(row?.private_links), discord_links: Number(row?.discord_links) };
}

function concernsOf(figures: SiteFigures | null, shared: Verdicts): Concern[] {
  if (figures === null) return ['schema'];
  const concerns: Concern[] = [];
  if (shared.blob_store === 'failed') concerns.push('blob_store');
  if (shared.key_service === 'failed') concerns.push('key_service');
  if (figures.sweep_lag_seconds > SWEPT_WITHIN_SECONDS) concerns.push('sweep_late');
  if (figures.key_lag_seconds > SWEPT_WITHIN_SECONDS) concerns.push('keys_late');
  if (figures.oldest_queued_seconds > PURGED_WITHIN_SECONDS) concerns.push('purge_late');
  return concerns;
}

export async function readStatus({ db, blobs, keyShares, checkShared, program }: StatusDeps): Promise<Status> {
  const schema_step = await schemaStepOf(db);
  const isOwn = schema_step === newestMigration;
  const [server] = rowsOf<{ version: string }>(
    await db.execute(sql`select current_setting('server_version') as version`),
  );
  const [site] = isOwn ? rowsOf<{ id: string }>(await db.execute(sql`select id from site limit 1`)) : [];
  const figures = isOwn ? await readSiteFigures(db) : null;
  // The store is tried by a row of the queue, which another schema may not have.
  const shared = isOwn ? await checkShared() : {};
  return {
    program: program.version,
    commit: program.commit,
    is_changed: program.is_changed,
    node: process.version,
    postgres: server!.version,
    schema_step,
    program_step: newestMigration,
    site_id: site?.id ?? null,
    processes: await countProcesses(db),
    figures,
    keys: {
      ...(isOwn ? await countKeys(db) : { private_links: 0, discord_links: 0 }),
      key_shares: keyShares ? await countShares(keyShares) : null,
    },
    shared,
    stored: blobs && shared.blob_store !== 'failed' ? await storedIn(blobs) : null,
    concerns: concernsOf(figures, shared),
  };
}
