import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSite } from '../support/site.ts';
import { beside, endure, type FaultRow, notRun } from './fault-row.ts';
import { keepFiles } from './kept-files.ts';
import { createLaunchedSite, type LaunchedSite } from './launched-site.ts';
import { type Address, startReplicatedPostgres } from './replicated-postgres.ts';

/** What a database does wrong. */

const KIB = 1024;
const MIB = 1024 * KIB;
const STOPPED_MS = 60_000;
const ANSWER_WITHIN_MS = 5000;
const CRASHES = 5;
const WORK_MS = 2000;
const HOST = 'database.satchel.test';
const FAILOVER = 'PostgreSQL fails over to another address';

const fsckOf = (site: LaunchedSite) => async () => {
  const { findings } = await site.fsck();
  return { code: findings.length === 0 ? 0 : 1, output: JSON.stringify(findings) };
};

/** All of PostgreSQL's processes stand still for a minute: every request is answered within seconds, and then all goes on. */
async function* stoppedDatabase(): AsyncGenerator<FaultRow> {
  const site = await createLaunchedSite();
  try {
    await site.start();
    const kept = await keepFiles(site);
    for (const size of [10 * KIB, 3 * MIB]) await kept.upload(size);
    const work = async () => {
      site.signalDatabase('SIGSTOP');
      const untilMs = performance.now() + STOPPED_MS;
      while (performance.now() < untilMs) {
        await Promise.all([
          kept.upload(2 * MIB),
          kept.upload(10 * KIB),
          ...kept.files().map((file) => kept.read(file)),
        ]);
        await sleep(500);
      }
    };
    yield await endure('PostgreSQL stands still for 60 s', { fsck: fsckOf(site) }, kept, {
      work,
      mend: () => site.signalDatabase('SIGCONT'),
      answersWithinMs: ANSWER_WITHIN_MS,
    });

    const crash = async () => {
      for (let count = 0; count < CRASHES; count += 1) {
        await sleep(WORK_MS / 2);
        site.strike('postgres immediate');
        await site.comeBack('postgres immediate');
      }
    };
    const crashes = { work: () => beside(kept, crash), mend: () => undefined };
    yield await endure(`PostgreSQL ended by -m immediate, ${CRASHES} times`, { fsck: fsckOf(site) }, kept, crashes);
  } finally {
    site.signalDatabase('SIGCONT');
    await site.stop();
    site.remove();
  }
}

/** A way to a database that leads to another address once it is told. */
interface Way {
  /** Where a server is to connect to. */
  readonly at: Address;
  lead(to: Address): void;
  close(): void;
}

/** A name of /etc/hosts, which only this process and its children see changed. */
function byName(to: Address): Way {
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

async function byProxy(to: Address): Promise<Way> {
  let target = to;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(target.port, target.host);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket);
          other.destroy();
        });
    }
    near.pipe(far).pipe(near);
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
  return {
    at: { host: '127.0.0.1', port },
    lead: (next) => {
      target = next;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** The first PostgreSQL is killed, its standby promoted, and the way leads there only some time later. */
async function* failover(way: string, open: (to: Address) => Way | Promise<Way>): AsyncGenerator<FaultRow> {
  const postgres = await startReplicatedPostgres();
  try {
    const line = await open(postgres.address);
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
      line.close();
    }
  } finally {
    await postgres.stop();
  }
}

export async function* databaseFaults(): AsyncGenerator<FaultRow> {
  yield* stoppedDatabase();
  yield* failover('by its proxy', byProxy);
  if (process.env.FAULTS_NAMESPACE) yield* failover('by its name', byName);
  else yield notRun(`${FAILOVER}, by its name`, 'a mount of its own (unshare -m)');
}
