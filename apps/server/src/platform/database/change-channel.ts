import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import type { Queryable } from './db.ts';

/**
 * Tells the other nodes of a database which folders changed, by LISTEN and NOTIFY, in its own session: a pooler in
 * transaction mode keeps no session that could listen, so the address is the one of the site's lock.
 *
 * Notes are sent after the commit, and not by the transaction itself: PostgreSQL lets only one transaction with a NOTIFY
 * commit at a time, and uploads would queue for it. A note that is lost is found by the next look at the watched folders.
 */
export interface ChangeChannel {
  /** Sends to all other nodes; what can't be sent now is dropped. */
  publish(folderIds: readonly string[]): void;
  /** @param onGap is called when notes of other nodes may have been lost */
  listen(onHeard: (folderIds: readonly string[]) => void, onGap: () => void): void;
  close(): Promise<void>;
}

const CHANNEL = 'satchel_folders';
/** "In the default configuration it must be shorter than 8000 bytes" (PostgreSQL, NOTIFY): 200 ids of 37 bytes. */
const IDS_MAX = 200;
const CONNECT_MS = 5000;
const RETRY_MS = 2000;
const KEEP_ALIVE_MS = 10_000;
/** The client asks for itself whether the connection lives: a listener that only waits would never learn it. */
const BEAT_MS = 15_000;

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'satchel-changes',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  });
  // `run` listens as well; without a listener, the event would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    // A note needs no disk: after a crash of the database, every node looks at its folders again.
    await client.query(`set idle_session_timeout = 0; set synchronous_commit = off; listen ${CHANNEL};`);
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

/** Tells all nodes of a change that a command made, which listens to nothing itself. */
export const publishOnce = async (db: Queryable, folderId: string): Promise<void> =>
  void (await db.execute(sql`select pg_notify(${CHANNEL}, ${`${randomUUID()} ${folderId}`})`));

/** @param report is called when the connection is lost, and once for a row of failed tries */
export function createChangeChannel(url: string, report: (error: unknown) => void): ChangeChannel {
  const node = randomUUID();
  let client: pg.Client | null = null;
  const closing = new AbortController();

  /** Listens until the connection is lost. */
  async function run(onHeard: (folderIds: readonly string[]) => void, onGap: () => void): Promise<void> {
    const own = await connect(url);
    if (closing.signal.aborted) return void (await own.end());
    const lost = new Promise<unknown>((resolve) => {
      own.once('end', resolve);
      own.once('error', resolve);
    });
    own.on('notification', ({ payload = '' }) => {
      const [from, ...ids] = payload.split(' ');
      if (from !== node) onHeard(ids);
    });
    const beat = setInterval(() => void own.query('select').catch(() => own.end().catch(() => undefined)), BEAT_MS);
    client = own;
    onGap();
    await lost;
    clearInterval(beat);
    client = null;
    await own.end().catch(() => undefined);
  }

  return {
    publish(folderIds) {
      for (let at = 0; at < folderIds.length; at += IDS_MAX) {
        const payload = [node, ...folderIds.slice(at, at + IDS_MAX)].join(' ');
        client?.query('select pg_notify($1, $2)', [CHANNEL, payload]).catch(report);
      }
    },
    listen(onHeard, onGap) {
      void (async () => {
        let hasReported = false;
        while (!closing.signal.aborted) {
          await run(onHeard, onGap).then(
            () => {
              hasReported = false;
            },
            (error: unknown) => {
              if (!hasReported && !closing.signal.aborted) report(error);
              hasReported = true;
            },
          );
          await sleep(RETRY_MS * (0.5 + Math.random()), undefined, { signal: closing.signal }).catch(() => undefined);
        }
      })();
    },
    async close() {
      closing.abort();
      await client?.end().catch(() => undefined);
    },
  };
}
