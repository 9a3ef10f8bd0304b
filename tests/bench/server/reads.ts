import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import { fillForPlans } from '../../../apps/server/test/database/plan-data.ts';
import { startSite } from '../../support/site.ts';
import { startBare } from '../bare-servers.ts';
import { cpuSeconds } from '../process-cost.ts';
import { byTurns, percentile, type Row } from '../report.ts';
import type { Ask, Order, Outcome } from './readers.ts';

/** Reads of a folder's page, 32 at once, in a database of a small and of a large site, beside one prepared statement. */

const READERS = 32;
/** So that no reader comes to the limit of its network, 3,000 reads a minute, below 32,000 reads a second of all. */
const SECONDS = 3;
/** Each reader's, one after the other: 32 times as many in all, so that no part of the database is asked for all the time. */
const FOLDERS_OF_READER = 400;
/** Of the filled folders each fifth is plain, so that its page needs no key share on the disk. */
const PLAIN_STEP = 5;
const SIZES = [
  { folders: 10_000, name: '10⁴ folders' },
  { folders: 1_000_000, name: '10⁶ folders' },
];

/** As plan-data.ts names them. */
const slugOf = (n: number) => `planslug${n.toString(16).padStart(12, '0')}`;

/** What a read of a page looks at. All tables, as the plans fill them, would take ten times as long. */
const TABLES = ['profiles', 'slugs', 'folders', 'temp_encryption_keys'];

/** What one round of one server gave. */
interface Load {
  readonly outcome: Outcome;
  /** The server's processor time. */
  readonly cpuSeconds: number;
}

/** Starts the process of the readers. */
function startReaders() {
  const child: ChildProcess = fork(join(import.meta.dirname, 'readers.ts'));
  const ended = once(child, 'exit').then((): never => {
    throw new Error('the readers have ended');
  });
  ended.catch(() => undefined);
  const send = async (order: Order): Promise<Outcome> => {
    child.send(order);
    const [outcome] = await Promise.race([once(child, 'message'), ended]);
    return outcome as Outcome;
  };
  return {
    async load({ port, pid }: { port: number; pid: number }, order: Omit<Order, 'port'>): Promise<Load> {
      const before = cpuSeconds(pid);
      const outcome = await send({ ...order, port });
      return { outcome, cpuSeconds: cpuSeconds(pid) - before };
    },
    end: () => void child.kill('SIGKILL'),
  };
}

/** Fills a database, without folders that a sweep of the server would purge beside the reads. */
async function fill(connectionString: string, folders: number): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await fillForPlans(client, { folders, files: folders, tables: TABLES });
  await client.query('update folders set deleted_at = null where deleted_at is not null');
  await client.query('checkpoint');
  await client.end();
}

/** Different folders for each reader, spread over all of them. */
function readersOf(folders: number): Ask[][] {
  const plain = Math.floor(folders / PLAIN_STEP);
  const headers = { 'content-type': 'application/json' };
  return Array.from({ length: READERS }, (_, reader) =>
    Array.from({ length: FOLDERS_OF_READER }, (_, at) => {
      const nth = Math.floor(((at * READERS + reader) * plain) / (READERS * FOLDERS_OF_READER));
      const body = JSON.stringify({ input_folder_slug: slugOf((nth + 1) * PLAIN_STEP) });
      return { path: '/rest/v1/rpc/get_folder_complete_data', headers, body };
    }),
  );
}

async function benchSize({ folders, name }: (typeof SIZES)[number]): Promise<Row[]> {
  const site = await startSite({ env: { LOG_LEVEL: 'warn' } });
  const readers = startReaders();
  const bare = await startBare(site.dataDir, site.databaseUrl);
  try {
    await site.kill9();
    await fill(site.databaseUrl, folders);
    await site.restart();
    const order = { clients: readersOf(folders), seconds: SECONDS };
    const target = () => ({ port: Number(new URL(site.url).port), pid: site.pid() });
    await readers.load(target(), { ...order, seconds: 2 });
    await readers.load(bare, { ...order, seconds: 2 });
    const loads = await byTurns({ bare: () => readers.load(bare, order), site: () => readers.load(target(), order) });
    const row = (what: string, unit: Row['unit'], of: (load: Load) => number, limit: Partial<Row> = {}): Row => ({
      name: `page reads of ${name}, ${READERS} at once: ${what}`,
      unit,
      measured: loads.site.map(of),
      bounds: [{ name: 'one prepared statement', measured: loads.bare.map(of) }],
      ...limit,
    });
    return [
      row('a second', '/s', ({ outcome }) => (outcome.ms.length * 1000) / outcome.wallMs, { atLeast: 2500 }),
      row('the 99th of 100', 'ms', ({ outcome }) => percentile(outcome.ms, 99), { atMost: 30 }),
      row(
        'server’s processor time each',
        'ms CPU',
        ({ outcome, cpuSeconds: used }) => (used * 1000) / outcome.ms.length,
      ),
    ];
  } finally {
    bare.end();
    readers.end();
    await site.stop();
  }
}

export async function benchReads(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const size of SIZES) rows.push(...(await benchSize(size)));
  return rows;
}
