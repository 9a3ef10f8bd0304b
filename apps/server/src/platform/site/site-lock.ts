import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  type CommonSettings,
  findOtherSetting,
  isTakenByDisk,
  joinNodes,
  refuseDisk,
  type Share,
  tryShare,
} from './shared-site.ts';
import { pairDirectory } from './site-id.ts';
import { LOCK_SPACE, ROLES, SiteLockError, type SiteRole, WRITERS } from './site-lock-keys.ts';

/**
 * One process writes a site, since its blobs lie on a local disk (decision 019). It holds an advisory lock of the
 * database, in its own session. The lock lies beside the data that it guards, so a second process is refused from
 * any directory, machine, container or PID namespace. The lock ends with its connection, not by time: a process that
 * is suspended keeps it, a killed one loses it at once.
 *
 * The session also fences writes: every other connection of the process names its holder, and the database refuses its
 * writes unless the row of the site names the same holder and the lock is taken (migrations.ts, `require_site`).
 */

/** The application name of connections that write for this holder; `require_site` reads it. */
const nameOfWriters = (holder: string): string => `satchel ${holder}`;
const nameOfLock = (holder: string): string => `satchel-lock ${holder}`;
/** The holder's name of connections which `require_site` lets pass: they write nothing to a disk. */
const nameOfNode = (holder: string): string => `satchel-node ${holder}`;

/** The lock is lost for now; this process may get it again. */
export class SiteNotHeldError extends Error {
  override readonly name = 'SiteNotHeldError';
}

export interface SiteLockTimes {
  readonly beatMs: number;
  /** An older confirmation of the lock is not trusted: a process that was suspended asks before it writes. */
  readonly trustMs: number;
  /** A connection without an answer for this number of beats is closed. */
  readonly silentBeats: number;
  /** How long a start waits for the lock of a process that has just been killed. */
  readonly startMs: number;
  readonly retryMs: number;
}

const TIMES: SiteLockTimes = { beatMs: 1000, trustMs: 3000, silentBeats: 10, startMs: 3000, retryMs: 100 };
/** The same for one of several nodes: the first one may have to bring the schema up to date. */
const NODE_START_MS = 30_000;
const CONNECT_MS = 5000;
const ANSWER_MS = 15_000;
const KEEP_ALIVE_MS = 10_000;

export interface SiteLockOptions {
  /** Leads to PostgreSQL itself: a pooler would share the session with others. */
  readonly url: string;
  readonly setting: string;
  /** What only this process may write; the first role is the one whose directory belongs to the site. */
  readonly roles: readonly SiteRole[];
  /** Null where the blobs lie on a disk: then the site has one process. */
  readonly common?: CommonSettings | null;
  readonly dataDir: string;
  /** Name of this process in the message to a process that is refused. */
  readonly name: string;
  readonly report: (event: 'lost' | 'held again') => void;
  readonly times?: Partial<SiteLockTimes>;
}

export interface SiteLock {
  /**
   * Resolves while this process holds the site; after a suspension it asks the database first.
   * @throws SiteNotHeldError once the connection is lost
   */
  requireHeld(): Promise<void>;
  /** The URL for connections that write, with the name of the holder. */
  nameWriters(url: string): string;
  /**
   * Makes this process the holder that may write; the schema must be up to date.
   * @throws SiteLockError when directory and database belong to different sites
   */
  claim(): Promise<void>;
  /** Resolves once another process holds the site or has held it since. */
  readonly lostForGood: Promise<SiteLockError>;
  release(): Promise<void>;
}

const UNDEFINED_TABLE = '42P01';

async function connect({ url, setting }: SiteLockOptions, holder: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: nameOfLock(holder),
    connectionTimeoutMillis: CONNECT_MS,
    // A connection that goes silent while it takes the lock is closed, and another one is tried.
    query_timeout: ANSWER_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  });
  // `watch` listens as well; without a listener, the event would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    // A machine that vanishes does not close its connections: the database probes them after 10 s of silence and closes
    // them 15 s later. The machine of a suspended process still answers the probes.
    await client.query(`
      set idle_session_timeout = 0; set statement_timeout = 0; set lock_timeout = 0;
      set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3;
      set tcp_user_timeout = 25000;`);
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    // A pooler makes up the process id that it reports. The id of BackendKeyData is missing in the types.
    if ((client as unknown as { processID: number }).processID !== rows[0]?.pid) {
      throw new SiteLockError(
        `${setting}: leads to a pooler; the lock of the site needs a connection to PostgreSQL itself`,
      );
    }
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

/** Takes all locks or none. */
async function tryLock(client: pg.Client, roles: readonly SiteRole[]): Promise<boolean> {
  for (const [index, role] of roles.entries()) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1, $2) as taken', [
      LOCK_SPACE,
      ROLES[role],
    ]);
    if (rows[0]?.taken) continue;
    for (const taken of roles.slice(0, index)) {
      await client.query('select pg_advisory_unlock($1, $2)', [LOCK_SPACE, ROLES[taken]]);
    }
    return false;
  }
  return true;
}

/** True when another session holds a lock that this one wants. Writers only take it for a moment, in shared mode. */
async function isTaken(client: pg.Client, roles: readonly SiteRole[]): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from pg_locks where locktype = 'advisory' and granted and mode = 'ExclusiveLock' and classid = $1
     and objid = any($2) and database = (select oid from pg_database where datname = current_database())`,
    [LOCK_SPACE, roles.map((role) => ROLES[role])],
  );
  return rowCount !== 0;
}

interface SiteRow {
  readonly holder: string | null;
  readonly holder_name: string | null;
}

async function rowsOf(client: pg.Client, roles: readonly SiteRole[]): Promise<SiteRow[]> {
  const { rows } = await client.query<SiteRow>('select holder, holder_name from site where role = any($1)', [roles]);
  return rows;
}

/** The name of the current holder. */
async function nameOfHolder(client: pg.Client, roles: readonly SiteRole[]): Promise<string> {
  try {
    const names = (await rowsOf(client, roles)).map(({ holder_name }) => holder_name).filter((name) => name !== null);
    return names[0] === undefined ? 'another Satchel' : `another Satchel (${names[0]})`;
  } catch (error) {
    if ((error as { code?: unknown }).code === UNDEFINED_TABLE) return 'another Satchel';
    throw error;
  }
}

async function lockAtStart(
  client: pg.Client,
  { roles, common }: SiteLockOptions,
  times: SiteLockTimes,
  tryAll: (client: pg.Client) => Promise<boolean>,
): Promise<void> {
  const deadlineMs = performance.now() + times.startMs;
  while (!(await tryAll(client))) {
    if (performance.now() > deadlineMs) {
      throw new SiteLockError(
        `${await nameOfHolder(client, common ? ['site', ...roles] : roles)} has the site of this database; stop it first`,
      );
    }
    await sleep(times.retryMs);
  }
}

/**
 * Makes this process the holder. After this, an earlier holder commits nothing and writes no byte to disk.
 * @param trustMs how long an earlier holder that still runs takes to notice
 */
async function becomeHolder(
  client: pg.Client,
  { roles, name }: SiteLockOptions,
  holder: string,
  trustMs: number,
): Promise<void> {
  const before = (await rowsOf(client, roles)).map((row) => row.holder).filter((id) => id !== null);
  // A process that has ended has no connections. One that has lost only the lock may be writing.
  const { rowCount: stillThere } = await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where usename = current_user and application_name like any($1)`,
    [before.map((id) => `${nameOfWriters(id)}%`)],
  );
  await client.query('begin');
  await client.query('select pg_advisory_xact_lock($1, $2)', [LOCK_SPACE, WRITERS]);
  await client.query(
    `with own as materialized (select coalesce((select id from site limit 1), gen_random_uuid()) as id)
     insert into site (role, id, holder, holder_name) select role, own.id, $2, $3 from own, unnest($1::text[]) role
     on conflict (role) do update set holder = excluded.holder, holder_name = excluded.holder_name`,
    [roles, holder, name],
  );
  await client.query('commit');
  if (stillThere) await sleep(trustMs);
}

/**
 * Takes the lock of a site.
 * @throws SiteLockError naming the process that has it
 */
export async function lockSite(options: SiteLockOptions): Promise<SiteLock> {
  const { roles, common = null, dataDir, report } = options;
  const times = { ...TIMES, ...(common && { startMs: NODE_START_MS }), ...options.times };
  const holder = randomUUID();
  const { promise: lostForGood, resolve: loseForGood } = Promise.withResolvers<SiteLockError>();
  let client = await connect(options, holder);
  let beat: NodeJS.Timeout | undefined;
  let ask = async (): Promise<void> => undefined;
  let isConnected = true;
  let hasClaimed = false;
  let isClosed = false;
  let confirmedMs = 0;
  let share: Share = null;

  /** Takes all locks or none. */
  async function tryAll(next: pg.Client): Promise<boolean> {
    if (!(await tryLock(next, roles))) return false;
    if (common === null) return true;
    share = await tryShare(next, !hasClaimed);
    if (share !== null) return true;
    for (const role of roles) await next.query('select pg_advisory_unlock($1, $2)', [LOCK_SPACE, ROLES[role]]);
    return false;
  }

  /** Why this process has lost the site for good, or null. */
  async function whyLost(next: pg.Client, isLocked: boolean): Promise<SiteLockError | null> {
    const hadOther = hasClaimed && (await rowsOf(next, roles)).some((row) => row.holder !== holder);
    const isLost =
      hadOther ||
      (!isLocked && (await isTaken(next, roles))) ||
      (hasClaimed && common !== null && (await isTakenByDisk(next)));
    if (isLost)
      return new SiteLockError(
        `${await nameOfHolder(next, common ? ['site'] : roles)} has taken the site of this database; ending`,
      );
    if (!isLocked || !hasClaimed || common === null) return null;
    return findOtherSetting(next, common);
  }

  const cut = (one: pg.Client) =>
    // pg's types leave the connection out. Destroyed without waiting: a silent connection would not close its side.
    (one as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();

  function watch(): void {
    const watched = client;
    // Counts beats without an answer, not time: a process that was suspended reads its answers before it gives up.
    let unanswered = 0;
    confirmedMs = performance.now();
    isConnected = true;
    ask = async () => {
      const sentMs = performance.now();
      await watched.query('select');
      unanswered = 0;
      if (watched === client) confirmedMs = sentMs;
    };
    const onLoss = () => {
      if (watched !== client || !isConnected) return;
      isConnected = false;
      clearInterval(beat);
      if (isClosed) return;
      report('lost');
      void takeAgain();
    };
    watched.once('end', onLoss);
    watched.once('error', onLoss);
    beat = setInterval(() => {
      if (unanswered >= times.silentBeats) return cut(watched);
      unanswered += 1;
      ask().catch(() => undefined);
    }, times.beatMs);
    beat.unref();
  }

  /** @returns true when this process holds the lock again, false to try again */
  async function tryAgain(lostPid: number): Promise<boolean> {
    const next = await connect(options, holder);
    try {
      // Behind a broken line, the lost session may still hold the lock.
      await next.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where pid = $1 and application_name = $2',
        [lostPid, nameOfLock(holder)],
      );
      const isLocked = await tryAll(next);
      const lost = await whyLost(next, isLocked);
      if (lost) {
        loseForGood(lost);
        isClosed = true;
      }
      if (!isLocked || isClosed) {
        await next.end();
        return false;
      }
    } catch (error) {
      await next.end().catch(() => undefined);
      throw error;
    }
    client = next;
    watch();
    return true;
  }

  async function takeAgain(): Promise<void> {
    const { processID } = client as unknown as { processID: number };
    // Waits for a database that is restarted or away.
    while (!isClosed && !(await tryAgain(processID).catch(() => false))) await sleep(times.retryMs);
    if (!isClosed) report('held again');
  }

  try {
    await lockAtStart(client, options, times, tryAll);
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  watch();

  return {
    async requireHeld() {
      const isFresh = () => isConnected && performance.now() - confirmedMs < times.trustMs;
      if (isFresh()) return;
      if (isConnected) await Promise.race([ask().catch(() => undefined), sleep(times.trustMs)]);
      if (!isFresh()) throw new SiteNotHeldError('The lock of the site is lost');
    },
    nameWriters: (url) =>
      `${url}${url.includes('?') ? '&' : '?'}application_name=${encodeURIComponent((roles.length > 0 ? nameOfWriters : nameOfNode)(holder))}`,
    async claim() {
      const [role] = roles;
      if (role === 'site') await refuseDisk(client);
      if (common) {
        const leavingMs = Math.min(times.startMs, TIMES.startMs);
        await joinNodes(client, share, common, { leavingMs, retryMs: times.retryMs });
      }
      if (role) {
        const become = () => becomeHolder(client, options, holder, times.trustMs);
        await pairDirectory(client, { role, dataDir, become });
      }
      hasClaimed = true;
    },
    lostForGood,
    async release() {
      isClosed = true;
      clearInterval(beat);
      await client.end().catch(() => undefined);
    },
  };
}
