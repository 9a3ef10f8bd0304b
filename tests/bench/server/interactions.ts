import { spawn } from 'node:child_process';
import { createPrivateKey, sign } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { SANDBOX_CLIENT, SANDBOX_KEY, startSite } from '../../support/site/site.ts';
import { percentile, type Row } from '../report.ts';

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
    ...{ version: 1, type: 2, id, application_id: SANDBOX_CLIENT.id, token: `${id}-${'t'.repeat(190)}` },
    ...{ locale: 'en-US', guild_locale: 'en-US', guild_id: '42', channel_id: '43', context: 0 },
    ...{ authorizing_integration_owners: { '0': '42' }, member: { user, permissions: '2248473465835073', roles: [] } },
    data: { id: '7', type: 1, name, options },
  });
}

/** Discord's headers, signed on sending: a signature is valid for five minutes. */
function signedHeaders(body: string) {
  const timestamp = String(Math.floor(Date.now() / 1000));
  return {
    ...{ 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
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
}

async function sendAll(url: string, interactions: readonly string[]): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const ms: number[] = [];
  const next = interactions.values();
  const started = performance.now();
  const send = async () => {
    for (const interaction of next) ms.push(await answerMs(url, agent, interaction));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  agent.destroy();
  return { ms, perSecond: (interactions.length * 1000) / (performance.now() - started) };
}

async function loadBare(interactions: readonly string[]): Promise<Load> {
  const file = join(import.meta.dirname, 'bare-signed.ts');
  const child = spawn(process.execPath, [file, SANDBOX_KEY.publicKey], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  try {
    return await sendAll(`http://127.0.0.1:${line.toString().trim()}/`, interactions);
  } finally {
    child.kill('SIGTERM');
  }
}

/** The bot's endpoint: each interaction is claimed, run, sealed and stored. */
export async function benchInteractions(): Promise<Row[]> {
  const interactions = Array.from({ length: COUNT }, (_, n) => makeInteraction(n));
  const bare = await loadBare(interactions);
  const site = await startSite({ env: { LOG_LEVEL: 'warn' } });
  try {
    const { ms, perSecond } = await sendAll(`${site.url}/discord/interactions`, interactions);
    const name = `${COUNT} interactions, ${AT_ONCE} at once`;
    const bareName = 'bare Node server that checks the signature';
    return [
      {
        name: `Answer to the 99th of 100 of ${name}`,
        unit: 'ms',
        measured: [percentile(ms, 99)],
        atMost: P99_MAX_MS,
        bounds: [{ name: bareName, measured: [percentile(bare.ms, 99)] }],
      },
      {
        name: `Answer to the 50th of 100 of ${name}`,
        unit: 'ms',
        measured: [percentile(ms, 50)],
        bounds: [{ name: bareName, measured: [percentile(bare.ms, 50)] }],
      },
      { name, unit: '/s', measured: [perSecond], bounds: [{ name: bareName, measured: [bare.perSecond] }] },
    ];
  } finally {
    await site.stop();
  }
}
