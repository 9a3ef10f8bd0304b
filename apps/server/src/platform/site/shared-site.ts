import { scryptSync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Config } from '../../config.ts';
import { LOCK_SPACE, ROLES, SiteLockError, type SiteRole } from './site-lock-keys.ts';

/**
 * A site that several nodes share (decision 028): its blobs lie in a store that all of them reach. Nodes hold the lock of
 * the site in shared mode, so a process that has its blobs on a disk is refused beside them, and they are beside it.
 *
 * The first node to come holds it alone until it has stored what all nodes must have in common; each later one compares.
 */

/** Settings that all nodes must have in common, by name; the database learns keyed hashes only. */
export type CommonSettings = Readonly<Record<string, string>>;

/** What all nodes of a site must have in common; null where the site has one process, and for its key service. */
export function commonSettings(config: Config, sessionSecret: Buffer): CommonSettings | null {
  const { role, blobsUrl, publicUrl, usercontentUrl, keyServiceUrl, keyServiceSecret, discord } = config;
  if (blobsUrl === null || role === 'keys') return null;
  return {
    BLOBS_URL: blobsUrl,
    PUBLIC_URL: publicUrl,
    USERCONTENT_URL: usercontentUrl ?? '',
    DISCORD_API_URL: discord.apiUrl,
    DISCORD_CLIENT_ID: discord.clientId,
    SESSION_SECRET: sessionSecret.toString('base64'),
    ...(keyServiceUrl !== null && { KEY_SERVICE_SECRET: keyServiceSecret ?? '' }),
  };
}

/** Names what only a process with these settings may write. A server without a key service also stores key shares. */
export function ownRoles({
  role,
  keyServiceUrl,
  blobsUrl,
}: Pick<Config, 'role' | 'keyServiceUrl' | 'blobsUrl'>): SiteRole[] {
  if (role === 'keys') return ['keys'];
  return [...(blobsUrl === null ? (['site'] as const) : []), ...(keyServiceUrl === null ? (['keys'] as const) : [])];
}

/** This one is stored as long as the files of the site lie in that store. */
const STORE = 'BLOBS_URL';
const FINGERPRINT_BYTES = 16;

/** Slow, so that a copy of the database does not help to guess a secret that a person made up. */
const fingerprintOf = (siteId: string, name: string, value: string): string =>
  scryptSync(value, `${siteId} ${name}`, FINGERPRINT_BYTES).toString('base64url');

async function isGranted(client: pg.Client, call: string): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(`select ${call}($1, $2) as taken`, [LOCK_SPACE, ROLES.site]);
  return rows[0]?.taken === true;
}

export type Share = 'first' | 'joined' | null;

/**
 * Takes the lock as one of several nodes.
 * @param mayBeFirst false for a node that has been one of them already
 * @returns null when a process with its blobs on a disk has it, or the first node, which is not done yet
 */
export async function tryShare(client: pg.Client, mayBeFirst: boolean): Promise<Share> {
  if (mayBeFirst && (await isGranted(client, 'pg_try_advisory_lock'))) return 'first';
  return (await isGranted(client, 'pg_try_advisory_lock_shared')) ? 'joined' : null;
}

interface SiteRow {
  readonly id: string;
  readonly holder: string | null;
  readonly is_paired: boolean;
}

/** The row of the site; its first start writes it. */
async function siteRow(client: pg.Client): Promise<SiteRow> {
  await client.query(`
    insert into site (role, id)
    select 'site', coalesce((select id from site limit 1), gen_random_uuid()) on conflict (role) do nothing`);
  const { rows } = await client.query<SiteRow>(`select id, holder, is_paired from site where role = 'site'`);
  return rows[0]!;
}

/** True once a process with its blobs on a disk has the site. */
export async function isTakenByDisk(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(`select from site where role = 'site' and holder is not null`);
  return rowCount !== 0;
}

/** @returns the error that names the first setting that differs from the value of the running nodes, or null */
export async function findOtherSetting(client: pg.Client, settings: CommonSettings): Promise<SiteLockError | null> {
  const { id } = await siteRow(client);
  const { rows } = await client.query<{ name: string; fingerprint: string }>(
    'select name, fingerprint from node_settings',
  );
  const stored = new Map(rows.map(({ name, fingerprint }) => [name, fingerprint]));
  for (const [name, value] of Object.entries(settings)) {
    if (stored.get(name) === fingerprintOf(id, name, value)) continue;
    return new SiteLockError(
      `${name}: differs from the value of the running nodes; all nodes of a site need the same value (docs/deploy/nodes-and-store.md)`,
    );
  }
  return null;
}

/** Stores the settings of the first node, and lets others join. */
async function begin(client: pg.Client, settings: CommonSettings): Promise<void> {
  const { id, is_paired } = await siteRow(client);
  if (is_paired) {
    throw new SiteLockError(
      `${STORE}: the files of this database lie in a DATA_DIR, and not in this store (docs/deploy/nodes-and-store.md)`,
    );
  }
  const names = Object.keys(settings);
  const fingerprints = names.map((name) => fingerprintOf(id, name, settings[name]!));
  await client.query('begin');
  await client.query('delete from node_settings');
  await client.query('insert into node_settings select * from unnest($1::text[], $2::text[])', [names, fingerprints]);
  await client.query('commit');
  await client.query('select pg_advisory_lock_shared($1, $2)', [LOCK_SPACE, ROLES.site]);
  await client.query('select pg_advisory_unlock($1, $2)', [LOCK_SPACE, ROLES.site]);
}

/**
 * Makes this process one of the site's nodes; the schema must be up to date.
 * @param share how this process has the lock of the site
 * @param times how long the lock of nodes that have just ended may outlive them, and when it is asked for again
 * @throws SiteLockError that names the first setting that differs from the value of the running nodes
 */
export async function joinNodes(
  client: pg.Client,
  share: Share,
  settings: CommonSettings,
  times: { readonly leavingMs: number; readonly retryMs: number },
): Promise<void> {
  const deadlineMs = performance.now() + times.leavingMs;
  let held = share;
  let refusal: SiteLockError | null = null;
  while (held !== 'first') {
    if (held === 'joined') {
      refusal = await findOtherSetting(client, settings);
      if (refusal === null) return;
      await client.query('select pg_advisory_unlock_shared($1, $2)', [LOCK_SPACE, ROLES.site]);
    }
    if (refusal !== null && performance.now() > deadlineMs) throw refusal;
    await sleep(times.retryMs);
    held = await tryShare(client, true);
  }
  await begin(client, settings);
}

/** @throws SiteLockError when the files of this database lie in a store of several nodes, and not on a disk */
export async function refuseDisk(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query('select from node_settings where name = $1', [STORE]);
  if (rowCount !== 0) {
    throw new SiteLockError(
      `${STORE}: is missing; the files of this database lie in a store (docs/deploy/nodes-and-store.md)`,
    );
  }
}
