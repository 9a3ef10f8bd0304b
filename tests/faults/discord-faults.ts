import { createServer, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../apps/server/test/support/free-port.ts';
import { createChatClient } from '../support/discord.ts';
import { randomBytesOf } from '../support/files.ts';
import { createPlainFolder, runTus, signIn } from '../support/people.ts';
import { startSite } from '../support/site.ts';
import { type FaultRow, fsckFindings } from './fault-row.ts';
import { within } from './within.ts';

/** What Discord does wrong when the bot edits its replies to /upload. */

const KIB = 1024;
const SLOW_MS = 12_000;
const LASTS_MS = 8000;
/** An edit that failed is tried again after half a minute. */
const TOLD_WITHIN_MS = 90_000;
const FAULTS = ['slow', '429', '500', 'no answer', 'down'] as const;
type Fault = (typeof FAULTS)[number];

/** Discord's API by another port, on which calls after an answer may fail. */
async function startApi(sandboxPort: number) {
  let fault: Fault | null = null;
  let struck = 0;
  const server = createServer((asked, answer) => {
    const pass = () => {
      const { method, url: path, headers } = asked;
      const forward = request({ host: '127.0.0.1', port: sandboxPort, method, path, headers }, (found) => {
        answer.writeHead(found.statusCode ?? 502, found.headers);
        found.pipe(answer);
      });
      forward.on('error', () => answer.destroy());
      asked.pipe(forward);
    };
    if (fault === null || !asked.url?.includes('/webhooks/')) return pass();
    struck += 1;
    if (fault === 'slow') setTimeout(pass, SLOW_MS);
    if (fault === 'no answer') asked.resume();
    if (fault === '500') answer.writeHead(500).end();
    if (fault === '429') {
      const limits = { 'retry-after': '1', 'content-type': 'application/json', 'x-ratelimit-scope': 'shared' };
      answer.writeHead(429, limits).end('{"message":"slower","retry_after":1,"global":false}');
    }
  });
  const listen = (at: number) =>
    new Promise<number>((resolve, reject) => {
      server.once('error', reject);
      server.listen(at, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
    });
  const port = await listen(0);
  return {
    url: `http://127.0.0.1:${port}/api/v10`,
    async arm(next: Fault | null) {
      if (fault === 'down') await listen(port);
      fault = next;
      if (next) struck = 0;
      if (next !== 'down') return;
      // Connections are refused, so no call is counted here.
      server.close();
      server.closeAllConnections();
    },
    struck: () => struck,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The bot's calls that got no answer, as the site counts them. */
async function unreached(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^satchel_discord_follow_ups_total\{outcome="unreachable"\} (\d+)$/m.exec(metrics)?.[1]);
}

export async function* discordFaults(): AsyncGenerator<FaultRow> {
  const sandboxPort = await freePort();
  const api = await startApi(sandboxPort);
  try {
    const env = { DISCORD_API_URL: api.url, LOG_LEVEL: 'error' };
    const site = await startSite({ hasOneServer: true, hasBot: true, sandboxPort, env });
    try {
      const mika = await signIn(site, 'mika');
      const chat = createChatClient(site.sandboxUrl, 'mika');
      for (const fault of FAULTS) {
        const folder = await createPlainFolder(mika, `Told ${fault}`);
        await chat.run('upload', { folder: folder.id });
        const before = await unreached(site.ownUrl);
        await api.arm(fault);
        const path = `${folder.bucket_storage_path}/told_1_a.bin`;
        const { error } = await runTus({ url: site.url, person: mika, path }, randomBytesOf(100 * KIB));
        const isTold = async () => (await chat.messages()).at(-1)?.content.includes('1 file') ?? false;
        await sleep(LASTS_MS);
        const wrong = (await isTold()) ? ['the reply was edited while Discord failed'] : [];
        await api.arm(null);
        const mendedMs = performance.now();
        await within(TOLD_WITHIN_MS, isTold);
        const recoveredMs = performance.now() - mendedMs;
        wrong.push(...(await fsckFindings(site)));
        const runs = fault === 'down' ? (await unreached(site.ownUrl)) - before : api.struck();
        if (!(runs > 0)) wrong.push('no call met it');
        yield {
          fault: `Discord to an edit: ${fault}`,
          runs,
          lost: [
            ...(error ? ['the upload was refused'] : []),
            ...((await isTold()) ? [] : ['the reply was not edited']),
          ],
          wrong,
          recoveredMs,
          note: `${runs} calls met it`,
        };
      }
    } finally {
      await site.stop();
    }
  } finally {
    api.close();
  }
}
