import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/**
 * The connection pool, and its health check. While the database is away (stopped, frozen or behind a broken line),
 * callers get an error within a few seconds; when it is back, the pool works again without a restart.
 */

/** The database can't be reached, or a connection was lost; the statement itself is not at fault. */
export class DatabaseAwayError extends Error {
  override readonly name = 'DatabaseAwayError';
  /** True when an open connection was lost: a new one may succeed, so a second try makes sense. */
  readonly isLoss: boolean;
  constructor(isLoss: boolean, cause?: unknown) {
    super('The database is away', { cause });
    this.isLoss = isLoss;
  }
}

/** Timeouts of the pool, and the limits that the database enforces itself. */
export interface PoolTimes {
  /** A statement or connection attempt that takes longer starts a probe of the database. */
  readonly suspectAfterMs: number;
  /** Time for the answer to a probe, after which the database counts as away. */
  readonly probeMs: number;
  /** Pause between probes while the database is away. */
  readonly retryEveryMs: number;
  /** Time after which a statement that has neither ended nor been cancelled has lost its connection. */
  readonly lostAfterMs: number;
  readonly statementMs: number;
  readonly lockMs: number;
  readonly idleInTransactionMs: number;
}

/** suspectAfterMs and probeMs together stay below the 5 seconds in which every route answers. */
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
/** Connection timeout for a database that is up but busy. */
const CONNECT_MS = 5000;
const KEEP_ALIVE_MS = 10_000;
/** A read whose connection was lost is repeated once; a restarted database is back after about this time. */
const REPEAT_AFTER_MS = 300;
/** SQLSTATE class and codes with which PostgreSQL ends or refuses a connection. */
const AWAY_CLASS = '08';
const AWAY_STATES = new Set(['57P01', '57P02', '57P03', '57P05', '25P03', '53300']);
/** Messages of pg for a connection that has ended; it gives them no code. */
const LOST = /^Connection terminated|is not queryable$/;

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '');
const isDatabaseError = (error: unknown): boolean => error instanceof pg.DatabaseError;

/** Wraps the error of a lost connection as DatabaseAwayError; returns other errors unchanged. */
function asLossError(error: unknown): unknown {
  if (error instanceof DatabaseAwayError) return error;
  const code = codeOf(error);
  if (isDatabaseError(error)) {
    return code.startsWith(AWAY_CLASS) || AWAY_STATES.has(code) ? new DatabaseAwayError(true, error) : error;
  }
  const isSocket = error instanceof Error && 'syscall' in error;
  return isSocket || LOST.test(String((error as Error | null)?.message)) ? new DatabaseAwayError(true, error) : error;
}

/**
 * Wraps the error of a failed connection attempt as DatabaseAwayError, unless the database itself refused the
 * credentials.
 */
function asConnectError(error: unknown): unknown {
  if (error instanceof DatabaseAwayError) return error;
  const isRefused = isDatabaseError(error) && !(asLossError(error) instanceof DatabaseAwayError);
  return isRefused ? error : new DatabaseAwayError(false, error);
}

/** The DatabaseAwayError among the causes of an error, or null. */
export function databaseAwayIn(error: unknown): DatabaseAwayError | null {
  for (let each = error; each instanceof Error; each = each.cause) if (each instanceof DatabaseAwayError) return each;
  return null;
}

/** The SQLSTATE of the failed statement behind an error, or an empty string. */
export function sqlStateOf(error: unknown): string {
  for (let each = error; each instanceof Error; each = each.cause) if (isDatabaseError(each)) return codeOf(each);
  return '';
}

/** True for a statement outside a transaction that may run a second time. */
const isReading = (statement: unknown): boolean =>
  /^\s*select\b/i.test(typeof statement === 'string' ? statement : String((statement as { text?: unknown })?.text));

type QueryArguments = Parameters<pg.Client['query']>;

/** A connection that records since when it waits for an answer. */
class WatchedClient extends pg.Client {
  busySinceMs: number | null = null;

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    // The running statement and the next one get the error of a lost connection; without a listener, the event would
    // end the process.
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
        callback(error ? asLossError(error) : error, result);
    }
    const result: unknown = super.query(...(parameters as QueryArguments));
    return result instanceof Promise ? result.catch((error) => Promise.reject(asLossError(error))) : result;
  }

  cut(): void {
    // pg's types leave out the connection; its own pool ends connections the same way.
    (this as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }
}

/** Checks on its own connection whether the database answers. */
async function answersProbe(connection: pg.ClientConfig, probeMs: number): Promise<boolean> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: probeMs });
  client.on('error', () => undefined);
  const ask = async () => {
    try {
      await client.connect();
      await client.query('select 1');
      return true;
    } catch (error) {
      // Any error of the database itself is an answer, except that it is stopping or starting.
      return isDatabaseError(error) && !codeOf(error).startsWith('57P');
    }
  };
  const timer = new AbortController();
  const late = sleep(probeMs, false, { signal: timer.signal }).catch(() => false);
  try {
    return await Promise.race([ask(), late]);
  } finally {
    timer.abort();
    // Destroyed without waiting: a frozen database does not close its side.
    (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }
}

/**
 * Releases a connection as soon as it has ended, and only once: drizzle does not release a connection whose `begin`
 * failed, and the pool would lose it for good.
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

/** The class name must contain "Pool": drizzle tells pools from connections by it. */
class WatchedPool extends pg.Pool {
  readonly #times: PoolTimes;
  readonly #connection: pg.ClientConfig;
  readonly #open = new Set<WatchedClient>();
  /** Callers that have no connection yet, with the time since when they wait. */
  readonly #waiting = new Map<symbol, { sinceMs: number; giveUp: (error: Error) => void }>();
  /** The timer runs while a connection is in use or awaited, so it never wakes a node at rest. */
  #watch: NodeJS.Timeout | undefined;
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
    // A connection that the server closes while idle is replaced at the next query; without a listener, the event would
    // end the process.
    this.on('error', () => undefined);
    this.on('connect', (client) => this.#open.add(client as unknown as WatchedClient));
    this.on('remove', (client) => this.#open.delete(client as unknown as WatchedClient));
  }

  #look(): void {
    if (this.totalCount === this.idleCount && this.#waiting.size === 0) {
      clearInterval(this.#watch);
      this.#watch = undefined;
      return;
    }
    const nowMs = performance.now();
    for (const client of this.#open) {
      // The database would have cancelled the statement itself by now.
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
    // The database answers but is slow: the next probe is due after the same time.
    await sleep(this.#times.suspectAfterMs, undefined, { signal, ref: false }).catch(() => undefined);
  }

  /** Rejects all waiting callers and closes all connections; a database that is back gets new ones. */
  #giveUpAll(): void {
    for (const { giveUp } of this.#waiting.values()) giveUp(new DatabaseAwayError(false));
    for (const client of this.#open) client.cut();
  }

  async #acquire(): Promise<pg.PoolClient> {
    if (this.#isAway) throw new DatabaseAwayError(false);
    const { promise: givenUp, reject: giveUp } = Promise.withResolvers<never>();
    const own = Symbol('waits');
    this.#waiting.set(own, { sinceMs: performance.now(), giveUp });
    this.#watch ??= setInterval(() => this.#look(), WATCH_EVERY_MS).unref();
    const coming = super.connect();
    try {
      return releasedOnce(await Promise.race([coming, givenUp]));
    } catch (error) {
      // A connection that arrives after the error is released.
      coming.then(
        (client) => client.release(),
        () => undefined,
      );
      this.#probe();
      throw asConnectError(error);
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
    if (typeof parameters.at(-1) === 'function') return super.query(...(parameters as QueryArguments));
    // pg's pool rejects with the error of a connection that ends before the client can name it a loss.
    const ask = (): Promise<unknown> =>
      (super.query(...(parameters as QueryArguments)) as unknown as Promise<unknown>).catch((error) =>
        Promise.reject(asLossError(error)),
      );
    if (!isReading(parameters[0])) return ask();
    return ask().catch(async (error) => {
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

/** The limits of a session, as startup parameters of its connection. */
const limitsOf = ({ statementMs, lockMs, idleInTransactionMs }: PoolTimes) => ({
  statement_timeout: statementMs,
  lock_timeout: lockMs,
  idle_in_transaction_session_timeout: idleInTransactionMs,
});

/** True when a pooler such as pgbouncer refuses unknown startup parameters. */
const isRefusedParameter = (error: unknown): boolean =>
  isDatabaseError(error) && /startup parameter/.test((error as Error).message);

/**
 * Opens the pool. Each connection sets the limits of statements, locks and idle transactions; behind a pooler that
 * refuses them, the database role must have them (docs/settings.md).
 * @throws when the database refuses this server
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
