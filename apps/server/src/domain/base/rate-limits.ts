import { lte, sql } from 'drizzle-orm';
import { type Db, type Queryable, rowsOf } from '../platform/db.ts';
import { rate_counts } from '../platform/schema.ts';
import { deleteInBatches } from './batches.ts';

/**
 * Counts how often a client asks (DESIGN §6), in windows that begin with the clock. Counting is this process's own and
 * costs no query; nodes of one site add theirs up in the database a second later, and only of clients who ask for much.
 */

/** So many units within so many seconds; a call costs one or more. */
export interface RateLimit {
  readonly max: number;
  readonly seconds: number;
}

export interface RateLimiter {
  /**
   * Counts a call, unless a limit has been reached.
   * @param what of which the limits are
   * @param units what the call costs; 0 only asks whether a limit has been reached
   * @returns seconds to wait, or 0 when the call may go on
   */
  take(what: string, client: string, limits: readonly RateLimit[], units?: number): number;
  /** Adds this node's counts to the others'. */
  share(): Promise<void>;
  close(): Promise<void>;
}

interface Counter {
  readonly key: string;
  readonly endsAtMs: number;
  /** What all nodes together have counted, as of the last time that this one asked. */
  shared: number;
  /** Counted here and not yet told. */
  own: number;
}

interface NamedCounter {
  /** In the database. */
  readonly name: string;
  readonly counter: Counter;
}

export interface RateLimiterDeps {
  /** Where nodes add their counts up; null to count here alone. */
  readonly db: Db | null;
  /** Makes a counter's name in the database, which must say nothing of whom it counts. */
  readonly hash: (text: string) => string;
  readonly report: (error: unknown) => void;
  readonly now?: () => number;
  readonly maxCounters?: number;
}

const SHARE_AFTER_MS = 1000;
const SHARE_BATCH = 500;
/** Nobody is told of before they have used up this part of a limit: whoever asks for little leaves no trace. */
const SHARE_FROM = 1 / 20;
const PRUNE_EVERY_MS = 60_000;
/** About 30 MB. Whoever asks from more networks than this is not stopped by counting. */
const MAX_COUNTERS = 200_000;
/** Room is made for so many at once: to look through all of them for each new client would be work for a flood to give. */
const ROOM = 1 / 16;

/** One upsert; in the order of the names, so that nodes never wait for each other crosswise. */
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
  const toShare = new Set<Counter>();
  let prunedAtMs = now();
  let timer: NodeJS.Timeout | undefined;
  let sharing = Promise.resolve();

  function prune(nowMs: number): void {
    const isFull = counters.size >= maxCounters;
    if (nowMs - prunedAtMs < PRUNE_EVERY_MS && !isFull) return;
    prunedAtMs = nowMs;
    for (const [key, counter] of counters) if (counter.endsAtMs <= nowMs) counters.delete(key);
    if (!isFull) return;
    // The ones that were counted first go first.
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
    const counter = { key, endsAtMs, shared: 0, own: 0 };
    counters.delete(key);
    counters.set(key, counter);
    return counter;
  }

  function offer(counter: Counter, { max }: RateLimit): void {
    if (!db || counter.own < max * SHARE_FROM) return;
    toShare.add(counter);
    timer ??= setTimeout(() => void share(), SHARE_AFTER_MS).unref();
  }

  async function shareBatch(database: Queryable, batch: readonly NamedCounter[]): Promise<void> {
    const told = batch.map(({ name, counter }) => ({ name, endsAtMs: counter.endsAtMs, count: counter.own }));
    const totals = await addUp(database, told);
    for (const [index, { name, counter }] of batch.entries()) {
      counter.own -= told[index]?.count ?? 0;
      counter.shared = totals.get(name) ?? counter.shared;
    }
  }

  async function shareAll(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (!db) return;
    const nowMs = now();
    // Named here and not when they begin: most clients never ask for so much that they are told of.
    const all = [...toShare]
      .filter((counter) => counter.own > 0 && counter.endsAtMs > nowMs)
      .map((counter) => ({ name: hash(`${counter.key} ${counter.endsAtMs}`), counter }));
    all.sort((a, b) => (a.name < b.name ? -1 : 1));
    toShare.clear();
    for (let from = 0; from < all.length; from += SHARE_BATCH)
      await shareBatch(db, all.slice(from, from + SHARE_BATCH));
  }

  function share(): Promise<void> {
    // What could not be told still counts here, and is told with the next.
    sharing = sharing.then(shareAll).catch(report);
    return sharing;
  }

  return {
    take(what, client, limits, units = 1) {
      const nowMs = now();
      const all = limits.map((limit) => ({ limit, counter: counterOf(what, client, limit, nowMs) }));
      const full = all.filter(({ limit, counter }) => counter.shared + counter.own >= limit.max);
      // Who is refused is not counted: to ask again makes the wait no longer.
      if (full.length > 0) return Math.max(...full.map(({ counter }) => Math.ceil((counter.endsAtMs - nowMs) / 1000)));
      for (const { limit, counter } of all) {
        counter.own += units;
        offer(counter, limit);
      }
      return 0;
    },
    share,
    async close() {
      await share();
      clearTimeout(timer);
    },
  };
}

/** Forgets windows that are over. */
export const forgetRateCounts = (db: Queryable, signal?: AbortSignal): Promise<void> =>
  deleteInBatches(db, rate_counts, lte(rate_counts.ends_at, sql`now()`), signal);
