import { createPrivateKey, sign } from 'node:crypto';
import { Agent, request } from 'node:http';
import pg from 'pg';
import { SANDBOX_CLIENT, SANDBOX_KEY, startSite } from '../../support/site.ts';
import { startSigned } from '../bare-servers.ts';
import { cpuSeconds } from '../process-cost.ts';
import { byTurns, percentile, type Row } from '../report.ts';

const COUNT = 10_000;
/** Number of concurrent requests. */
const AT_ONCE = 16;
/** For two quiet cores. Discord gives up after 3,000 ms, and the bot defers after 2,000. */
const P99_MAX_MS = 40;
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const KEY = createPrivateKey({
  key: Buffer.concat([PKCS8_PREFIX, Buffer.from(SANDBOX_KEY.privateKey, 'hex')]),
  format: 'der',
  type: 'pkcs8',
});

/** Half are /upload, which writes an intent, and half /list; each from another person, in a server. */
function makeInteraction(n: number): string {
  const id = String(1_300_000_000_000_000_000n + BigInt(n));
  const name = n % 2 === 0 ? 'upload' : 'list';
  const options = name === 'upload' ? [{ name: 'folder', type: 3, value: `Holiday ${n}` }] : [];
  const user = { id: String(2_000_000_000_000_000_000n + BigInt(n)), username: `person-${n}`, discriminator: '0' };
  return JSON.stringify({
    version: 1,
    type: 2,
    id,
    application_id: SANDBOX_CLIENT.id,
    token: `${id}-${'t'.repeat(190)}`,
    locale: 'en-US',
    guild_locale: 'en-US',
    guild_id: '42',
    channel_id: '43',
    context: 0,
    authorizing_integration_owners: { '0': '42' },
    member: { user, permissions: '2248473465835073', roles: [] },
    data: { id: '7', type: 1, name, options },
  });
}

/** Discord's headers, signed on sending: a signature is valid for five minutes. */
function signedHeaders(body: string) {
  const timestamp = String(Math.floor(Date.now() / 1000));
  return {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-signature-timestamp': timestamp,
    'x-signature-ed25519': sign(null, Buffer.from(timestamp + body), KEY).toString('hex'),
  };
}

function answerMs(url: string, agent: Agent, body: string): Promise<number> {
  const headers = signedHeaders(body);
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, agent }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      const isAnswer = response.statusCode === 200 && JSON.parse(text).type === 4;
      if (isAnswer) resolve(performance.now() - started);
      else reject(new Error(`${response.statusCode}: ${text}`));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

interface Load {
  /** Response time of each interaction. */
  readonly ms: readonly number[];
  readonly perSecond: number;
  /** The server's processor time for each. */
  readonly cpuMs: number;
}

/** Processor time of each of the database's processes that has one of the server's connections. */
async function databaseSeconds(databaseUrl: string): Promise<ReadonlyMap<number, number>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const others = 'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
  const { rows } = await client.query<{ pid: number }>(others).finally(() => client.end());
  return new Map(rows.map(({ pid }) => [pid, cpuSeconds(pid)]));
}

async function measure(url: string, pid: number, interactions: readonly string[]): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const ms: number[] = [];
  const next = interactions.values();
  const [started, before] = [performance.now(), cpuSeconds(pid)];
  const send = async () => {
    for (const interaction of next) ms.push(await answerMs(url, agent, interaction));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  agent.destroy();
  const perSecond = (interactions.length * 1000) / (performance.now() - started);
  return { ms, perSecond, cpuMs: ((cpuSeconds(pid) - before) * 1000) / interactions.length };
}

/** The bot's endpoint: each interaction is claimed, run, sealed and stored. */
export async function benchInteractions(): Promise<Row[]> {
  const bare = await startSigned(SANDBOX_KEY.publicKey);
  const site = await startSite({ env: { LOG_LEVEL: 'warn' } });
  const databaseMs: number[] = [];
  async function measureSite(interactions: readonly string[]): Promise<Load> {
    const before = await databaseSeconds(site.databaseUrl);
    const load = await measure(`${site.url}/discord/interactions`, site.pid(), interactions);
    const after = await databaseSeconds(site.databaseUrl);
    const seconds = [...after].reduce((sum, [pid, used]) => sum + used - (before.get(pid) ?? 0), 0);
    databaseMs.push((seconds * 1000) / interactions.length);
    return load;
  }
  // Discord sends each interaction once: every round has its own.
  const batchOf = (round: number) => Array.from({ length: COUNT }, (_, n) => makeInteraction(round * COUNT + n));
  try {
    const loads = await byTurns({
      bare: (round) => measure(bare.url, bare.pid, batchOf(round)),
      site: (round) => measureSite(batchOf(round)),
    });
    const row = (what: string, unit: Row['unit'], of: (load: Load) => number, limit: Partial<Row> = {}): Row => ({
      name: `${COUNT} interactions, ${AT_ONCE} at once: ${what}`,
      unit,
      measured: loads.site.map(of),
      bounds: [{ name: 'bare server that checks the signature', measured: loads.bare.map(of) }],
      ...limit,
    });
    return [
      row('the 99th of 100', 'ms', ({ ms }) => percentile(ms, 99), { atMost: P99_MAX_MS }),
      row('the 50th of 100', 'ms', ({ ms }) => percentile(ms, 50)),
      row('a second', '/s', ({ perSecond }) => perSecond),
      row('server’s processor time each', 'ms CPU', ({ cpuMs }) => cpuMs),
      {
        name: `${COUNT} interactions, ${AT_ONCE} at once: database’s processor time each`,
        unit: 'ms CPU',
        measured: databaseMs,
        bounds: [],
      },
    ];
  } finally {
    bare.end();
    await site.stop();
  }
}
