import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PATHS } from '@satchel/contract/paths';
import { freePort } from '../../../apps/server/test/support/free-port.ts';
import { creationHeaders } from '../../../apps/server/test/support/uploads/creation-headers.ts';
import { createPlainFolder, signIn } from '../../support/people/client.ts';
import { OFFSET_BYTES, tusHeaders } from '../../support/people/tus.ts';
import { startBalancer } from '../../support/site/balancer.ts';
import { SANDBOX_KEY, type Site, startSite } from '../../support/site/site.ts';
import { type BareServer, startBare, startSigned } from '../bare-servers.ts';
import type { Ask } from '../crowd.ts';
import { startCrowd } from '../crowds.ts';
import { threadSeconds } from '../process-cost.ts';
import { describeRun, median, ROUNDS } from '../report.ts';
import { makeInteraction, signedHeaders } from './interactions.ts';

/**
 * What a request costs all nodes of a site together, in processor time, with 1, 2 and 4 nodes behind nginx, beside bare Node
 * servers divided into as many processes: what they cost more is the machine's. Requests come at a given rate, which the
 * machine can take: a server with more to do at once does more of it together, and a full one would compare that.
 */

const NODES = [1, 2, 4] as const;
const MOST = 4;
/** How much comes: once for each node, so that each has as much to do; and as much for few nodes as for the most. */
const SHAPES = [
  ...NODES.map((nodes) => ({ nodes, times: nodes })),
  ...NODES.filter((nodes) => nodes < MOST).map((nodes) => ({ nodes, times: MOST })),
];
const AT_MOST = 1.1;
const IDLE_MS = 15_000;
/** V8 collects garbage for some seconds after the last request. */
const SETTLE_MS = 20_000;
const FOLDERS = 40;
const FILE_BYTES = 100_000;
const PERSONAS = ['mika', 'jonas', 'ava', 'lena'];

/** How a kind of request comes to one node: so many clients, each of which begins one every so many milliseconds. */
const KINDS = {
  'page read': { many: 'page reads', clients: 12, everyMs: 40, seconds: 4, warmUp: 400 },
  'file of 100 KB': { many: 'files of 100 KB', clients: 8, everyMs: 320, seconds: 5, warmUp: 120 },
  interaction: { many: 'interactions', clients: 8, everyMs: 80, seconds: 4, warmUp: 300 },
} as const;
type Kind = keyof typeof KINDS;

/** Servers behind one port, which share its requests. */
interface Shared {
  readonly port: number;
  pids(): readonly number[];
  /** The requests of so many clients. */
  asks(clients: number, each: number): Promise<Ask[][]>;
}

interface Setting {
  readonly nodes: number;
  readonly site: Readonly<Record<Kind, Shared>>;
  readonly bare: Readonly<Record<Kind, Shared>>;
  stop(): Promise<void>;
}

const listsOf = (clients: number, each: number, make: (client: number, at: number) => Ask): Ask[][] =>
  Array.from({ length: clients }, (_, client) => Array.from({ length: each }, (_, at) => make(client, at)));

const readOf = (slug = ''): Ask => ({
  ...{ method: 'POST', path: '/rest/v1/rpc/get_folder_complete_data' },
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ input_folder_slug: slug }),
});

/** Each client's files lie in a folder of its person; a person has as many clients as a node. */
async function filesOf(site: Site, clients: number, each: number): Promise<Ask[][]> {
  const people = PERSONAS.slice(0, Math.ceil(clients / KINDS['file of 100 KB'].clients));
  const folders = await Promise.all(
    people.map(async (persona) => {
      const person = await signIn(site, persona);
      return { person, path: (await createPlainFolder(person)).bucket_storage_path };
    }),
  );
  return listsOf(clients, each, (client, at) => {
    const { person, path } = folders[client % folders.length]!;
    const name = `${path}/file_${client}x${at}_abcdefgh.bin`;
    return {
      ...{ method: 'POST', path: PATHS.resumable, bodyBytes: FILE_BYTES },
      headers: { ...tusHeaders(person), ...creationHeaders(name, FILE_BYTES), 'content-type': OFFSET_BYTES },
    };
  });
}

/** Discord sends each interaction once. */
const ids = Array.from({ length: 1_000_000 }, (_, id) => id).values();

function interactionOf(): Ask {
  const body = makeInteraction(ids.next().value ?? 0);
  const { 'content-length': _, ...headers } = signedHeaders(body);
  return { method: 'POST', path: '/discord/interactions', headers, body };
}

const interactionsOf = async (clients: number, each: number) => listsOf(clients, each, interactionOf);

async function startBareSite(nginx: string, nodes: number, dir: string, site: Site, reads: Shared['asks']) {
  const begin = (start: () => Promise<BareServer>) => Promise.all(Array.from({ length: nodes }, start));
  const [files, signed] = [
    await begin(() => startBare(dir, site.databaseUrl)),
    await begin(() => startSigned(SANDBOX_KEY.publicKey)),
  ];
  const balanced = async (servers: readonly BareServer[]) => {
    const port = await freePort();
    const ports = servers.map((server) => server.port);
    return { port, pids: () => servers.map(({ pid }) => pid), balancer: await startBalancer(nginx, port, ports) };
  };
  const [filesAt, signedAt] = [await balanced(files), await balanced(signed)];
  const puts: Shared['asks'] = async (clients, each) =>
    listsOf(clients, each, (client, at) => ({
      ...{ method: 'PUT', path: `/file${client}x${at}`, headers: {}, bodyBytes: FILE_BYTES },
    }));
  return {
    shared: {
      'page read': { ...filesAt, asks: reads },
      'file of 100 KB': { ...filesAt, asks: puts },
      interaction: { ...signedAt, asks: interactionsOf },
    },
    async stop() {
      for (const { balancer } of [filesAt, signedAt]) await balancer.stop();
      for (const server of [...files, ...signed]) server.end();
    },
  };
}

async function begin(nginx: string, nodes: number, dir: string): Promise<Setting> {
  const env = { LOG_LEVEL: 'warn', FREE_STORAGE_BYTES: '64GiB' };
  const site = await startSite({ nodes, env: { ...env, MAX_FOLDER_FILES: '100000', MAX_OPEN_FOLDERS: '1000' } });
  const mika = await signIn(site, 'mika');
  const slugs: string[] = [];
  for (let at = 0; at < FOLDERS; at += 1) slugs.push((await createPlainFolder(mika, `Read ${at}`)).slug);
  const reads: Shared['asks'] = async (clients, each) =>
    listsOf(clients, each, (client, at) => readOf(slugs[(client + at) % FOLDERS]));
  const at = { port: Number(new URL(site.url).port), pids: site.pids };
  const bare = await startBareSite(nginx, nodes, dir, site, reads);
  return {
    nodes,
    site: {
      'page read': { ...at, asks: reads },
      'file of 100 KB': { ...at, asks: (clients, each) => filesOf(site, clients, each) },
      interaction: { ...at, asks: interactionsOf },
    },
    bare: bare.shared,
    async stop() {
      await bare.stop();
      await site.stop();
    },
  };
}

const usedSeconds = ({ pids }: Shared) => pids().reduce((sum, pid) => sum + threadSeconds(pid), 0);

/** Milliseconds of processor time for each request, one figure a round, by what is compared. */
type Costs = Map<string, number[]>;
const keyOf = (who: 'site' | 'bare', { nodes, times }: (typeof SHAPES)[number]) => `${who} ${nodes} ${times}`;

async function measure(kind: Kind, settings: readonly Setting[], send: ReturnType<typeof startCrowd>['send']) {
  const { clients, everyMs, seconds, warmUp } = KINDS[kind];
  const ways = ['site', 'bare'] as const;
  // No node is measured while it compiles, and each is warm for as much as comes at most.
  for (const setting of settings)
    for (const way of ways) {
      const { port, asks } = setting[way][kind];
      await send({ port, clients: await asks(setting.nodes * clients, warmUp) });
    }
  const costs: Costs = new Map();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const shape of SHAPES) {
      const setting = settings.find(({ nodes }) => nodes === shape.nodes)!;
      for (const way of ways) {
        const each = Math.round((seconds * 1000) / everyMs);
        const order = {
          clients: await setting[way][kind].asks(shape.times * clients, each),
          port: setting[way][kind].port,
        };
        const before = usedSeconds(setting[way][kind]);
        await send({ ...order, paceMs: everyMs });
        const ms = ((usedSeconds(setting[way][kind]) - before) * 1000) / (order.clients.length * each);
        costs.set(keyOf(way, shape), [...(costs.get(keyOf(way, shape)) ?? []), ms]);
      }
    }
  }
  return costs;
}

/** A line of the table in docs/scale.md, and whether it is within its limit; null: it has none. */
interface Line {
  readonly cells: readonly string[];
  readonly isReached: boolean | null;
}

const ms = (figures: readonly number[]) => `${median(figures).toFixed(2)} ms`;
const ratioOf = (figures: readonly number[], one: readonly number[]) => median(figures) / median(one);
const beside = (figures: readonly number[], one: readonly number[]) =>
  `${ms(figures)} (${ratioOf(figures, one).toFixed(2)})`;

function linesOf(kind: Kind, costs: Costs): Line[] {
  const { many, clients, everyMs } = KINDS[kind];
  const rate = ((clients * 1000) / everyMs).toLocaleString('en');
  const inAll = ((MOST * clients * 1000) / everyMs).toLocaleString('en');
  const line = (name: string, isSameInAll: boolean): Line => {
    const of = (who: 'site' | 'bare', nodes: number) =>
      costs.get(`${who} ${nodes} ${isSameInAll ? MOST : nodes}`) ?? [];
    const [one, bareOne] = [of('site', 1), of('bare', 1)];
    const [further, bareFurther] = [[2, 4].map((nodes) => of('site', nodes)), [2, 4].map((nodes) => of('bare', nodes))];
    return {
      cells: [
        ...[name, ms(one), ...further.map((figures) => beside(figures, one))],
        ...[ms(bareOne), ...bareFurther.map((figures) => beside(figures, bareOne))],
      ],
      isReached: isSameInAll ? null : further.every((figures) => ratioOf(figures, one) <= AT_MOST),
    };
  };
  return [line(`${many}, ${rate} a second for each node`, false), line(`${many}, ${inAll} a second in all`, true)];
}

/** What nodes without a request cost: timers, heartbeats. */
async function idleLine(settings: readonly Setting[]): Promise<Line> {
  const all = settings.flatMap(({ nodes, site, bare }) => [
    { nodes, shared: site['page read'] },
    { nodes, shared: bare['page read'] },
  ]);
  await sleep(SETTLE_MS);
  const before = all.map(({ shared }) => usedSeconds(shared));
  await sleep(IDLE_MS);
  const used = all.map(({ nodes, shared }, at) => (usedSeconds(shared) - before[at]!) / (IDLE_MS / 1_000_000) / nodes);
  const cells = [...used.filter((_, at) => at % 2 === 0), ...used.filter((_, at) => at % 2 === 1)];
  return { cells: ['none: each node in a second', ...cells.map((used) => ms([used]))], isReached: null };
}

const HEADS = ['Requests', '1 node', '2 nodes', '4 nodes', '1 bare server', '2', '4'];
const toRow = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const VERDICTS = new Map([
  [true, 'yes'],
  [false, '**no**'],
  [null, '–'],
]);

/**
 * Prints the table of docs/scale.md, with one more column.
 * @param wanted kinds of requests by the beginnings of their names; all of them where there is none
 * @returns whether each figure with a limit is within it
 */
export async function benchNodes(...wanted: string[]): Promise<boolean> {
  const nginx = process.env.NGINX_PATH;
  if (!nginx) throw new Error('several nodes need nginx before them');
  console.log(`nodes: begins with a load of ${(loadavg()[0] ?? Number.NaN).toFixed(2)}`);
  const dir = await mkdtemp(join(tmpdir(), 'satchel-bench-'));
  const crowd = startCrowd();
  const settings: Setting[] = [];
  const lines: Line[] = [];
  try {
    for (const nodes of NODES) settings.push(await begin(nginx, nodes, dir));
    for (const kind of Object.keys(KINDS) as Kind[]) {
      if (wanted.length > 0 && !wanted.some((name) => kind.startsWith(name))) continue;
      lines.push(...linesOf(kind, await measure(kind, settings, crowd.send)));
      console.log(`${kind}: measured, load ${(loadavg()[0] ?? Number.NaN).toFixed(2)}`);
    }
    lines.push(await idleLine(settings));
  } finally {
    crowd.end();
    for (const setting of settings) await setting.stop();
    await rm(dir, { recursive: true, force: true });
  }
  console.log(`\n${describeRun()}, ${ROUNDS} rounds\n\n${toRow([...HEADS, `≤ ${AT_MOST}`])}`);
  console.log(toRow([...HEADS, ''].map(() => '---')));
  for (const { cells, isReached } of lines) console.log(toRow([...cells, VERDICTS.get(isReached) ?? '']));
  return lines.every(({ isReached }) => isReached !== false);
}
