import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabaseLine } from '../../apps/server/test/support/database/database-line.ts';
import { startSite } from '../support/site.ts';
import { beside, endure, type FaultRow, notRun } from './fault-row.ts';
import { keepFiles } from './kept-files.ts';
import { type Address, type ReplicatedPostgres, startReplicatedPostgres } from './replicated-postgres.ts';

/** A database that fails over. One that stands still or is away is in apps/server/test/database/database-outage.api.test.ts. */

const ANSWER_WITHIN_MS = 5000;
const WORK_MS = 2000;
const HOST = 'database.satchel.test';
const FAILOVER = 'PostgreSQL fails over to another address';

/** A way to a database that leads to another address once it is told. */
interface Way {
  /** Where a server is to connect to. */
  readonly at: Address;
  lead(to: Address): void;
  close(): void | Promise<void>;
}

/** A name of /etc/hosts, which only this process and its children see changed. */
function byName({ address: to }: ReplicatedPostgres): Way {
  const dir = mkdtempSync(join(tmpdir(), 'satchel-hosts-'));
  const file = join(dir, 'hosts');
  const before = readFileSync('/etc/hosts', 'utf8');
  const lead = ({ host }: Address) => writeFileSync(file, `${before}\n${host} ${HOST}\n`);
  lead(to);
  execFileSync('mount', ['--bind', file, '/etc/hosts']);
  const close = () => {
    execFileSync('umount', ['-l', '/etc/hosts']);
    rmSync(dir, { recursive: true });
  };
  return { at: { host: HOST, port: to.port }, lead, close };
}

async function byProxy({ address, urlAt }: ReplicatedPostgres): Promise<Way> {
  const line = await createDatabaseLine(urlAt(address));
  return {
    at: { host: '127.0.0.1', port: Number(new URL(line.url).port) },
    lead: (to) => line.lead(urlAt(to)),
    close: line.close,
  };
}

/** The first PostgreSQL is killed, its standby promoted, and the way leads there only some time later. */
async function* failover(
  way: string,
  open: (postgres: ReplicatedPostgres) => Way | Promise<Way>,
): AsyncGenerator<FaultRow> {
  const postgres = await startReplicatedPostgres();
  try {
    const line = await open(postgres);
    try {
      const site = await startSite({
        hasOneServer: true,
        env: { DATABASE_URL: postgres.urlAt(line.at), LOG_LEVEL: 'error' },
      });
      try {
        const kept = await keepFiles(site);
        let next = postgres.address;
        const act = async () => {
          await sleep(WORK_MS);
          next = await postgres.failOver();
          await sleep(WORK_MS);
        };
        const fault = `${FAILOVER}, ${way}`;
        const mend = () => line.lead(next);
        yield await endure(fault, site, kept, {
          work: () => beside(kept, act),
          mend,
          answersWithinMs: ANSWER_WITHIN_MS,
        });
      } finally {
        await site.stop();
      }
    } finally {
      await line.close();
    }
  } finally {
    await postgres.stop();
  }
}

export async function* databaseFaults(): AsyncGenerator<FaultRow> {
  yield* failover('by its proxy', byProxy);
  if (process.env.FAULTS_NAMESPACE) yield* failover('by its name', byName);
  else yield notRun(`${FAILOVER}, by its name`, 'a separate mount (unshare -m)');
}
