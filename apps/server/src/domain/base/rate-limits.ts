import { sql } from 'drizzle-orm';
import { type Db, type Queryable, rowsOf } from '../../platform/database/db.ts';

/**
 * Counts the calls of each client in windows aligned to the clock. Each process counts in memory, without a
 * query; nodes of one site add their counts in the database a second later, and only for clients that call often.
 */

/** At most `max` units within `seconds`; a call costs one or more units. */
export interface RateLimit {
  readonly max: number;
  readonly seconds: number;
}

export interface RateLimiter {
  /**
   * Counts a call, unless a limit has been reached.
   * @param what the kind of call that the limits are for
   * @param units what the call costs; 0 only checks the limits
   * @returns seconds to wait, or 0 when the call is allowed
   */
  take(what: string, client: string, limits: readonly RateLimit[], units?: number): number;
  /** Adds this node's counts to the other nodes' counts. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

interface Counter {
  readonly key: string;
  readonly endsAtMs: number;
  /** The count of all nodes, as of the last time that this node asked. */
  ofAllNodes: number;
  /** Counted here and not yet added to the count of all nodes. */
  unsynced: number;
}

interface NamedCounter {
  /** The counter's key in the database. */
  readonly name: string;
  readonly counter: Counter;
}

export interface RateLimiterDeps {
  /** The database in which nodes add their counts; null to count in this process alone. */
  readonly db: Db | null;
  /** Hashes a counter's key: the database must not learn which client it counts. */
  readonly hash: (text: string) => string;
  readonly report: (error: unknown) => void;
  readonly now?: () => number;
  readonly maxCounters?: number;
}

const SYNC_AFTER_MS = 1000;
const SYNC_BATCH = 500;
/** A counter reaches the database from this part of its limit on: clients that call rarely leave no trace there. */
const SYNC_FROM = 1 / 20;
const PRUNE_EVERY_MS = 60_000;
/** About 30 MB. An attacker with more networks than this is not stopped by counting. */
const MAX_COUNTERS = 200_000;
/**
 * When the map is full, this part of it is deleted at once: a scan for each new client would be work that a flood could
 * cause.
 */
const ROOM = 1 / 16;

/** One upsert, ordered by name: two nodes lock rows in the same order and can't deadlock. */
async function addUp(db: Queryable, batch: readonly { name: string; count: number; endsAtMs: number }[]) {
  const rows = batch.map(
    ({ name, count, endsAtMs }) => sql`(${name}, ${count}::integer, ${new Date(endsAtMs).toISOString()}::timestamptz)`,
  );
  const result = await db.execute(sql`
    insert into rate_counts (counter, count, ends_at) values ${sql.join(rows, sql`, `)}
    on conflict (counter) do update set count = rate_counts.count + excluded.count
    returning counter, count`);
  return new Map(rowsOf<{ counter: string; count: number }>(result).map(({ counter, count }) => [counter, count]));
}

export function createRateLimiter(deps: RateLimiterDeps): RateLimiter {
  const { db, hash, report, now = Date.now, maxCounters = MAX_COUNTERS } = deps;
  const counters = new Map<string, Counter>();
  const toSync = new Set<Counter>();
  let prunedAtMs = now();
  let timer: NodeJS.Timeout | undefined;
  let syncing = Promise.resolve();

  function prune(nowMs: number): void {
    const isFull = counters.size >= maxCounters;
    if (nowMs - prunedAtMs < PRUNE_EVERY_MS && !isFull) return;
    prunedAtMs = nowMs;
    for (const [key, counter] of counters) if (counter.endsAtMs <= nowMs) counters.delete(key);
    if (!isFull) return;
    // A Map keeps its insertion order: the oldest counters come first.
    for (const key of counters.keys()) {
      if (counters.size < maxCounters * (1 - ROOM)) break;
      counters.delete(key);
    }
  }

  function counterOf(what: string, client: string, { seconds }: RateLimit, nowMs: number): Counter {
    const key = JSON.stringify([what, seconds, client]);
    const known = counters.get(key);
    if (known && known.endsAtMs > nowMs) return known;
    prune(nowMs);
    const endsAtMs = (Math.floor(nowMs / (seconds * 1000)) + 1) * seconds * 1000;
    const counter = { key, endsAtMs, ofAllNodes: 0, unsynced: 0 };
    counters.delete(key);
    counters.set(key, counter);
    return counter;
  }

  function offer(counter: Counter, { max }: RateLimit): void {
    if (!db || counter.unsynced < max * SYNC_FROM) return;
    toSync.add(counter);
    timer ??= setTimeout(() => void sync(), SYNC_AFTER_MS).unref();
  }

  async function syncBatch(database: Queryable, batch: readonly NamedCounter[]): Promise<void> {
    const sent = batch.map(({ name, counter }) => ({ name, endsAtMs: counter.endsAtMs, count: counter.unsynced }));
    const totals = await addUp(database, sent);
    for (const [index, { name, counter }] of batch.entries()) {
      counter.unsynced -= sent[index]?.count ?? 0;
      counter.ofAllNodes = totals.get(name) ?? counter.ofAllNodes;
    }
  }

  async function syncAll(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (!db) return;
    const nowMs = now();
    // Hashed only here: most clients never call often enough to be synced.
    const all = [...toSync]
      .filter((counter) => counter.unsynced > 0 && counter.endsAtMs > nowMs)
      .map((counter) => ({ name: hash(`${counter.key} ${counter.endsAtMs}`), counter }));
    all.sort((a, b) => (a.name < b.name ? -1 : 1));
    toSync.clear();
    for (let from = 0; from < all.length; from += SYNC_BATCH) await syncBatch(db, all.slice(from, from + SYNC_BATCH));
  }

  function sync(): Promise<void> {
    // A failed sync keeps the counts in memory for the next one.
    syncing = syncing.then(syncAll).catch(report);
    return syncing;
  }

  return {
    take(what, client, limits, units = 1) {
      const nowMs = now();
      const all = limits.map((limit) => ({ limit, counter: counterOf(what, client, limit, nowMs) }));
      const full = all.filter(({ limit, counter }) => counter.ofAllNodes + counter.unsynced >= limit.max);
      // A refused call does not count: calling again makes the wait no longer.
      if (full.length > 0) return Math.max(...full.map(({ counter }) => Math.ceil((counter.endsAtMs - nowMs) / 1000)));
      for (const { limit, counter } of all) {
        counter.unsynced += units;
        offer(counter, limit);
      }
      return 0;
    },
    sync,
    async close() {
      await sync();
      clearTimeout(timer);
    },
  };
}
