import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PATHS } from '@satchel/contract/paths';
import { creationHeaders } from '../../apps/server/test/support/uploads/creation-headers.ts';
import { createPlainFolder, type Person, signIn } from '../support/people/client.ts';
import { createOverTus, OFFSET_BYTES, pieceHeaders, tusHeaders } from '../support/people/tus.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { startBare } from './bare-servers.ts';
import type { Ask, Order, Outcome } from './crowd.ts';
import { type Cost, costOf } from './process-cost.ts';
import { percentile, ROUNDS, type Row } from './report.ts';

/**
 * The server under many clients, beside a bare Node server in the same run, by turns: one upload over the socket, many uploads,
 * many small files, many downloads. The clients are a process of their own; they share the machine's cores.
 */

const MIB = 1024 ** 2;
const UPLOAD_BYTES = 512 * MIB;
const BODY_BYTES = 6 * MIB;
const SENDERS = 50;
const SENDER_BYTES = 20_000_000;
const SENDER_BODY_BYTES = 5 * MIB;
const SMALL_SENDERS = 8;
const SMALL_FILES = 400;
const SMALL_BYTES = 100_000;
const DOWNLOADERS = 100;
const DOWNLOAD_BYTES = 10_000_000;

/** What one round of one server gave. */
export interface Load {
  readonly outcome: Outcome;
  readonly cost: Cost;
}

/** A server under load: Satchel or the bare one. */
interface Target {
  readonly port: number;
  readonly pid: number;
}

/** Starts the process of the clients. */
export function startCrowd() {
  const child: ChildProcess = fork(join(import.meta.dirname, 'crowd.ts'));
  const ended = once(child, 'exit').then((): never => {
    throw new Error('the crowd has ended');
  });
  ended.catch(() => undefined);
  const send = async (order: Order): Promise<Outcome> => {
    child.send(order);
    const [outcome] = await Promise.race([once(child, 'message'), ended]);
    return outcome as Outcome;
  };
  return {
    send,
    async load({ port, pid }: Target, order: Omit<Order, 'port'>): Promise<Load> {
      const { result, cost } = await costOf(pid, () => send({ ...order, port }));
      return { outcome: result, cost };
    },
    end: () => void child.kill('SIGKILL'),
  };
}
type Crowd = ReturnType<typeof startCrowd>;

const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => make(at));

/** A file's bodies, one after the other. */
function bodiesOf(sizeBytes: number, bodyBytes: number, ask: (from: number) => Omit<Ask, 'bodyBytes'>): Ask[] {
  return times(Math.ceil(sizeBytes / bodyBytes), (at) => {
    const from = at * bodyBytes;
    return { ...ask(from), bodyBytes: Math.min(bodyBytes, sizeBytes - from) };
  });
}

interface Setting {
  readonly site: Site;
  readonly mika: Person;
  readonly crowd: Crowd;
  readonly satchel: Target;
  readonly bare: Target;
}

/** The requests of clients that each send one file of their own. */
async function sendersOf({ site, mika }: Setting, round: number, count: number, sizeBytes: number, bodyBytes: number) {
  const folder = await createPlainFolder(mika, `Sent ${count} ${round}`);
  const toSatchel: Ask[][] = [];
  const paths: string[] = [];
  for (const at of times(count, (index) => index)) {
    const name = `${folder.bucket_storage_path}/file_${at}_abcdefgh.bin`;
    const created = await createOverTus({ url: site.url, person: mika, path: name }, sizeBytes);
    const path = new URL(created.url).pathname;
    paths.push(`/storage/v1/object/public/unlocked-folders/${name}`);
    toSatchel.push(
      bodiesOf(sizeBytes, bodyBytes, (from) => ({
        ...{ method: 'PATCH', path, headers: pieceHeaders(mika, from) },
      })),
    );
  }
  const toBare = times(count, (at) =>
    bodiesOf(sizeBytes, bodyBytes, (from) => ({
      ...{ method: 'PUT', path: `/file${at}`, headers: { 'upload-offset': String(from) } },
    })),
  );
  return { folder, paths, toSatchel, toBare };
}

interface Pair {
  readonly satchel: Load[];
  readonly bare: Load[];
}
const pair = (): Pair => ({ satchel: [], bare: [] });

const cpuRow = (name: string, { satchel, bare }: Pair, units = 1, unit: Row['unit'] = 'CPU-s'): Row => {
  const cpuOf = ({ cost }: Load) => (cost.cpuSeconds * (unit === 'ms CPU' ? 1000 : 1)) / units;
  return {
    name: `${name}: server’s processor time`,
    unit,
    measured: satchel.map(cpuOf),
    bounds: [{ name: 'bare Node server', measured: bare.map(cpuOf) }],
  };
};
const rateRow = (name: string, { satchel, bare }: Pair): Row => {
  const rateOf = ({ outcome: { bytes, wallMs } }: Load) => bytes / MIB / (wallMs / 1000);
  return {
    name,
    unit: 'MiB/s',
    measured: satchel.map(rateOf),
    bounds: [{ name: 'bare Node server', measured: bare.map(rateOf) }],
  };
};
const waitRow = (name: string, { satchel, bare }: Pair, which: 'ms' | 'firstMs', atMost?: number): Row => {
  const p99 = ({ outcome }: Load) => percentile(outcome[which], 99);
  return {
    name: `${name}: the 99th of 100`,
    unit: 'ms',
    measured: satchel.map(p99),
    ...(atMost === undefined ? {} : { atMost }),
    bounds: [{ name: 'bare Node server', measured: bare.map(p99) }],
  };
};
/** The last client's time over the median client's: 1 when all get the same share. */
const fairRow = (name: string, { satchel, bare }: Pair): Row => {
  const spread = ({ outcome: { endedMs } }: Load) => Math.max(...endedMs) / percentile(endedMs, 50);
  return {
    name: `${name}: last client over median`,
    unit: '×',
    measured: satchel.map(spread),
    atMost: 2,
    bounds: [{ name: 'bare Node server', measured: bare.map(spread) }],
  };
};
const megabytes = (mib: number) => (mib * MIB) / 1_000_000;
const memoryRows = (name: string, { satchel }: Pair): Row[] => [
  {
    name: `${name}: resident memory`,
    unit: 'MB',
    measured: satchel.map(({ cost }) => megabytes(cost.rssMib)),
    atMost: 220,
    bounds: [],
  },
  {
    name: `${name}: proportional memory`,
    unit: 'MB',
    measured: satchel.map(({ cost }) => megabytes(cost.pssMib)),
    bounds: [],
  },
];

async function benchSenders(setting: Setting): Promise<Row[]> {
  const { crowd, satchel, bare } = setting;
  const sent = pair();
  for (let round = 0; round < ROUNDS; round += 1) {
    const { toSatchel, toBare } = await sendersOf(setting, round, SENDERS, SENDER_BYTES, SENDER_BODY_BYTES);
    sent.bare.push(await crowd.load(bare, { clients: toBare }));
    sent.satchel.push(await crowd.load(satchel, { clients: toSatchel }));
  }
  const name = `${SENDERS} × 20 MB up`;
  return [
    cpuRow(name, sent),
    waitRow(`${name}, a PATCH`, sent, 'ms', 500),
    fairRow(name, sent),
    ...memoryRows(name, sent),
  ];
}

/** One upload over the socket, beside one in PATCHes; and many clients that each send one over the socket. */
async function benchSocket(setting: Setting): Promise<Row[]> {
  const { site, mika, crowd, satchel, bare } = setting;
  const send = async (clients: Awaited<ReturnType<typeof sendersOf>>['toSatchel'], bytes: number) => {
    const idOf = ([first]: Ask[]) => first?.path.split('/').at(-1) ?? '';
    const sockets = clients.map((asks) => ({ origin: site.url, id: idOf(asks), token: mika.token, bytes }));
    return crowd.load(satchel, { clients: [], sockets });
  };
  const [one, tus, many] = [pair(), pair(), pair()];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { toSatchel, toBare } = await sendersOf(setting, round, 2, UPLOAD_BYTES, BODY_BYTES);
    const alone = await crowd.load(bare, { clients: toBare.slice(0, 1) });
    one.bare.push(alone);
    tus.bare.push(alone);
    one.satchel.push(await send(toSatchel.slice(0, 1), UPLOAD_BYTES));
    tus.satchel.push(await crowd.load(satchel, { clients: toSatchel.slice(1) }));
    const senders = await sendersOf(setting, round, SENDERS, SENDER_BYTES, SENDER_BODY_BYTES);
    many.bare.push(await crowd.load(bare, { clients: senders.toBare }));
    many.satchel.push(await send(senders.toSatchel, SENDER_BYTES));
  }
  const name = `${SENDERS} × 20 MB over the socket`;
  return [
    cpuRow('socket upload of 512 MiB', one),
    cpuRow('tus upload of 512 MiB in the same round', tus),
    cpuRow(name, many),
    waitRow(`${name}, from one acknowledgement to the next`, many, 'ms', 500),
    fairRow(name, many),
    ...memoryRows(name, many),
  ];
}

async function benchSmall(setting: Setting): Promise<Row[]> {
  const { mika, crowd, satchel, bare } = setting;
  const sent = pair();
  const auth = { ...tusHeaders(mika), 'content-type': OFFSET_BYTES };
  for (let round = 0; round < ROUNDS; round += 1) {
    const folder = await createPlainFolder(mika, `Small ${round}`);
    const asksOf = (make: (name: string) => Ask) =>
      times(SMALL_SENDERS, (sender) =>
        times(SMALL_FILES / SMALL_SENDERS, (at) => make(`file_${sender}x${at}_abcdefgh.bin`)),
      );
    const clients = asksOf((name) => ({
      ...{ method: 'POST', path: PATHS.resumable, bodyBytes: SMALL_BYTES },
      headers: { ...auth, ...creationHeaders(`${folder.bucket_storage_path}/${name}`, SMALL_BYTES) },
    }));
    const toBare = asksOf((name) => ({ method: 'PUT', path: `/${name}`, headers: {}, bodyBytes: SMALL_BYTES }));
    sent.bare.push(await crowd.load(bare, { clients: toBare }));
    sent.satchel.push(await crowd.load(satchel, { clients }));
  }
  const name = `${SMALL_FILES} files of 100 KB, ${SMALL_SENDERS} at once`;
  const perSecond = ({ outcome }: Load) => (outcome.ms.length * 1000) / outcome.wallMs;
  return [
    {
      name,
      unit: '/s',
      measured: sent.satchel.map(perSecond),
      bounds: [{ name: 'bare Node server', measured: sent.bare.map(perSecond) }],
    },
    cpuRow(`${name}, each`, sent, SMALL_FILES, 'ms CPU'),
  ];
}

async function benchReaders(setting: Setting): Promise<Row[]> {
  const { crowd, satchel, bare } = setting;
  const { paths, toSatchel, toBare } = await sendersOf(setting, 0, 1, DOWNLOAD_BYTES, BODY_BYTES);
  await crowd.load(satchel, { clients: toSatchel });
  await crowd.load(bare, { clients: toBare });
  const read = pair();
  const clientsOf = (path: string) => times(DOWNLOADERS, () => [{ method: 'GET', path, headers: {} }]);
  for (let round = 0; round < ROUNDS; round += 1) {
    read.bare.push(await crowd.load(bare, { clients: clientsOf('/file0') }));
    read.satchel.push(await crowd.load(satchel, { clients: clientsOf(paths[0] ?? '') }));
  }
  const name = `${DOWNLOADERS} × 10 MB down`;
  return [
    rateRow(name, read),
    cpuRow(name, read),
    waitRow(`${name}, the first byte`, read, 'firstMs', 1000),
    fairRow(name, read),
    ...memoryRows(name, read),
  ];
}

const PARTS = {
  small: benchSmall,
  senders: benchSenders,
  socket: benchSocket,
  readers: benchReaders,
};

/** Names of the rows. */
export const CROWDS = Object.keys(PARTS) as readonly (keyof typeof PARTS)[];

export async function benchCrowds(wanted: keyof typeof PARTS): Promise<Row[]> {
  const dir = await mkdtemp(join(tmpdir(), 'satchel-bench-'));
  const room = {
    NODE_OPTIONS: process.env.PROF ?? '',
    MAX_FILE_BYTES: '2GiB',
    FREE_STORAGE_BYTES: '64GiB',
    MAX_OPEN_UPLOADS: '1000',
  };
  const site = await startSite({ env: { ...room, LOG_LEVEL: 'warn' } });
  const crowd = startCrowd();
  const bare = await startBare(dir, site.databaseUrl);
  try {
    const mika = await signIn(site, 'mika');
    const satchel = { port: Number(new URL(site.url).port), pid: site.pid() };
    return await PARTS[wanted]({ site, mika, crowd, satchel, bare });
  } finally {
    bare.end();
    crowd.end();
    await site.stop();
    await rm(dir, { recursive: true, force: true });
  }
}
