import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/**
 * Connections to the database, and the watch over them: while it is away (ended, frozen, behind a broken line) nobody waits
 * for it longer than a few seconds, and once it is back everything goes on without a restart.
 */

/** The database can't be reached, or the connection was lost: not the fault of a statement. */
export class DatabaseAwayError extends Error {
  override readonly name = 'DatabaseAwayError';
  /** A connection was lost that had been there: another one may well come, so it is worth a second try. */
  readonly isLoss: boolean;
  constructor(isLoss: boolean, cause?: unknown) {
    super('The database is away', { cause });
    this.isLoss = isLoss;
  }
}

/** How long the database may be silent, and how long its own limits are. */
export interface PoolTimes {
  /** A statement or a connection that takes longer lets the watch ask whether the database answers at all. */
  readonly suspectAfterMs: number;
  /** An answer to that must come within this time, or the database is away. */
  readonly probeMs: number;
  /** While it is away it is asked again this often. */
  readonly retryEveryMs: number;
  /** One statement that neither ends nor is cancelled by the database has lost its connection. */
  readonly lostAfterMs: number;
  readonly statementMs: number;
  readonly lockMs: number;
  readonly idleInTransactionMs: number;
}

/** Suspicion and probe together stay below the 5 seconds in which every route answers. */
export const POOL_TIMES: PoolTimes = {
  suspectAfterMs: 1500,
  probeMs: 2500,
  retryEveryMs: 500,
  lostAfterMs: 40_000,
  statementMs: 30_000,
  lockMs: 10_000,
  idleInTransactionMs: 30_000,
};

const WATCH_EVERY_MS = 100;
const CONNECTIONS = 10;
/** For a connection of a database that is there, and has much to do. */
const CONNECT_MS = 5000;
const KEEP_ALIVE_MS = 10_000;
/** A read whose connection is lost is asked once more: a database that is restarted is back after about as long. */
const REPEAT_AFTER_MS = 300;
/** What PostgreSQL says when it ends a connection or takes none: classes of SQLSTATE, and single ones. */
const AWAY_CLASS = '08';
const AWAY_STATES = new Set(['57P01', '57P02', '57P03', '57P05', '25P03', '53300']);
/** What pg says, in words alone, of a connection that has ended. */
const LOST = /^Connection terminated|is not queryable$/;

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '');
const isDatabaseError = (error: unknown): boolean => error instanceof pg.DatabaseError;

/** What a statement failed with: a lost connection by its own name, everything else as it came. */
function nameLoss(error: unknown): unknown {
  const code = codeOf(error);
  if (isDatabaseError(error)) {
    return code.startsWith(AWAY_CLASS) || AWAY_STATES.has(code) ? new DatabaseAwayError(true, error) : error;
  }
  const isSocket = error instanceof Error && 'syscall' in error;
  return isSocket || LOST.test(String((error as Error | null)?.message)) ? new DatabaseAwayError(true, error) : error;
}

/** What connecting failed with: a database that refuses these credentials is there. */
function nameRefusal(error: unknown): unknown {
  if (error instanceof DatabaseAwayError) return error;
  const isRefused = isDatabaseError(error) && !(nameLoss(error) instanceof DatabaseAwayError);
  return isRefused ? error : new DatabaseAwayError(false, error);
}

/** The cause of an error, however deep, that says that the database is away; null for every other error. */
export function databaseAwayIn(error: unknown): DatabaseAwayError | null {
  for (let each = error; each instanceof Error; each = each.cause) if (each instanceof DatabaseAwayError) return each;
  return null;
}

/** The SQLSTATE of the statement that an error is of; empty when it is of none. */
export function sqlStateOf(error: unknown): string {
  for (let each = error; each instanceof Error; each = each.cause) if (isDatabaseError(each)) return codeOf(each);
  return '';
}

/** Whether a statement of its own, outside a transaction, may be run a second time. */
const isReading = (statement: unknown): boolean =>
  /^\s*select\b/i.test(typeof statement === 'string' ? statement : String((statement as { text?: unknown })?.text));

type QueryArguments = Parameters<pg.Client['query']>;

/** A connection that knows since when it waits for an answer. */
class WatchedClient extends pg.Client {
  busySinceMs: number | null = null;

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    // The statement under way hears of a lost connection, and so does the next one; unheard, the event would end us.
    this.on('error', () => undefined);
    this.on('drain', () => {
      this.busySinceMs = null;
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg has a dozen overloads, with callback and without
  override query(...parameters: any[]): any {
    this.busySinceMs ??= performance.now();
    const callback = parameters.at(-1);
    if (typeof callback === 'function') {
      parameters[parameters.length - 1] = (error: unknown, result: unknown) =>
        callback(error ? nameLoss(error) : error, result);
    }
    const result: unknown = super.query(...(parameters as QueryArguments));
    return result instanceof Promise ? result.catch((error) => Promise.reject(nameLoss(error))) : result;
  }

  cut(): void {
    // pg's types leave out the connection; its own pool ends connections the same way.
    (this as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }
}

/** Says whether the database answers, on a connection of its own. */
async function answersProbe(connection: pg.ClientConfig, probeMs: number): Promise<boolean> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: probeMs });
  client.on('error', () => undefined);
  const ask = async () => {
    try {
      await client.connect();
      await client.query('select 1');
      return true;
    } catch (error) {
      // Whatever the database itself says, but for that it is about to end or to start, is an answer.
      return isDatabaseError(error) && !codeOf(error).startsWith('57P');
    }
  };
  const timer = new AbortController();
  const late = sleep(probeMs, false, { signal: timer.signal }).catch(() => false);
  try {
    return await Promise.race([ask(), late]);
  } finally {
    timer.abort();
    // Without waiting: a frozen database would not say goodbye.
    (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }
}

/**
 * Gives a connection back as soon as it has ended: drizzle gives none back whose `begin` failed, and the pool would have
 * fewer for good. Whoever gives it back afterwards does nothing.
 */
function releasedOnce(client: pg.PoolClient): pg.PoolClient {
  const { release } = client;
  let isReleased = false;
  const onEnd = () => client.release(true);
  client.release = (error) => {
    if (isReleased) return;
    isReleased = true;
    client.off('end', onEnd);
    release.call(client, error);
  };
  return client.once('end', onEnd);
}

/** The name has to have "Pool" in it: drizzle tells pools from connections by that. */
class WatchedPool extends pg.Pool {
  readonly #times: PoolTimes;
  readonly #connection: pg.ClientConfig;
  readonly #open = new Set<WatchedClient>();
  /** Since when each of those waits who has not been given a connection yet. */
  readonly #waiting = new Map<symbol, { sinceMs: number; giveUp: (error: Error) => void }>();
  readonly #watch: NodeJS.Timeout;
  readonly #ended = new AbortController();
  #isAway = false;
  #probing: Promise<void> | null = null;

  constructor(connection: pg.ClientConfig, times: PoolTimes) {
    super({
      ...connection,
      Client: WatchedClient,
      max: CONNECTIONS,
      connectionTimeoutMillis: CONNECT_MS,
    } as pg.PoolConfig);
    this.#times = times;
    this.#connection = connection;
    // A connection that the server drops while idle is replaced at the next query; unheard, the event would end us.
    this.on('error', () => undefined);
    this.on('connect', (client) => this.#open.add(client as unknown as WatchedClient));
    this.on('remove', (client) => this.#open.delete(client as unknown as WatchedClient));
    this.#watch = setInterval(() => this.#look(), WATCH_EVERY_MS).unref();
  }

  #look(): void {
    const nowMs = performance.now();
    for (const client of this.#open) {
      // The database itself would have cancelled the statement by now.
      if (client.busySinceMs !== null && nowMs - client.busySinceMs > this.#times.lostAfterMs) client.cut();
    }
    const since = [...this.#open].map((client) => client.busySinceMs ?? nowMs);
    for (const { sinceMs } of this.#waiting.values()) since.push(sinceMs);
    if (nowMs - Math.min(nowMs, ...since) > this.#times.suspectAfterMs) this.#probe();
  }

  #probe(): void {
    this.#probing ??= this.#probeUntilBack().finally(() => {
      this.#probing = null;
    });
  }

  async #probeUntilBack(): Promise<void> {
    const { probeMs, retryEveryMs } = this.#times;
    const { signal } = this.#ended;
    while (!(await answersProbe(this.#connection, probeMs)) && !signal.aborted) {
      this.#isAway = true;
      this.#giveUpAll();
      await sleep(retryEveryMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
    this.#isAway = false;
    // It answers, and what is slow is its own affair: the next look is due after as long a time.
    await sleep(this.#times.suspectAfterMs, undefined, { signal, ref: false }).catch(() => undefined);
  }

  /** Everybody who waits is told, and no connection is kept: what comes back is another one. */
  #giveUpAll(): void {
    for (const { giveUp } of this.#waiting.values()) giveUp(new DatabaseAwayError(false));
    for (const client of this.#open) client.cut();
  }

  async #acquire(): Promise<pg.PoolClient> {
    if (this.#isAway) throw new DatabaseAwayError(false);
    const { promise: givenUp, reject: giveUp } = Promise.withResolvers<never>();
    const own = Symbol('waits');
    this.#waiting.set(own, { sinceMs: performance.now(), giveUp });
    const coming = super.connect();
    try {
      return releasedOnce(await Promise.race([coming, givenUp]));
    } catch (error) {
      // Where one comes after all, it goes back.
      coming.then(
        (client) => client.release(),
        () => undefined,
      );
      this.#probe();
      throw nameRefusal(error);
    } finally {
      this.#waiting.delete(own);
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: with a callback, as pg's own pool calls it, and without
  override connect(callback?: any): any {
    const coming = this.#acquire();
    if (!callback) return coming;
    coming.then(
      (client) => callback(undefined, client, client.release),
      (error) => callback(error, undefined, () => undefined),
    );
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  override query(...parameters: any[]): any {
    const ask = () => super.query(...(parameters as QueryArguments));
    if (typeof parameters.at(-1) === 'function' || !isReading(parameters[0])) return ask();
    return (ask() as unknown as Promise<unknown>).catch(async (error) => {
      if (!databaseAwayIn(error)?.isLoss) throw error;
      await sleep(REPEAT_AFTER_MS);
      return ask();
    });
  }

  override async end(): Promise<void> {
    clearInterval(this.#watch);
    this.#ended.abort();
    const late = setTimeout(() => this.#giveUpAll(), this.#times.probeMs);
    await super.end().finally(() => clearTimeout(late));
  }
}

/** A session's limits, as parameters of the connection's start. */
const limitsOf = ({ statementMs, lockMs, idleInTransactionMs }: PoolTimes) => ({
  statement_timeout: statementMs,
  lock_timeout: lockMs,
  idle_in_transaction_session_timeout: idleInTransactionMs,
});

/** A pooler between us and the database that takes no parameters it does not know, as pgbouncer does. */
const isRefusedParameter = (error: unknown): boolean =>
  isDatabaseError(error) && /startup parameter/.test((error as Error).message);

/**
 * Opens the pool. Limits of statements, locks and idle transactions are set by each connection; where a pooler refuses
 * that, they are the role's to have (docs/deploy.md).
 * @throws when the database does not let this server in
 */
export async function openPool(url: string, times: PoolTimes = POOL_TIMES): Promise<pg.Pool> {
  const plain = { connectionString: url, keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_MS };
  const limited = { ...plain, ...limitsOf(times) };
  const trial = new pg.Client({ ...limited, connectionTimeoutMillis: 2 * CONNECT_MS });
  trial.on('error', () => undefined);
  try {
    await trial.connect();
    return new WatchedPool(limited, times);
  } catch (error) {
    if (isRefusedParameter(error)) return new WatchedPool(plain, times);
    throw error;
  } finally {
    await trial.end();
  }
}
