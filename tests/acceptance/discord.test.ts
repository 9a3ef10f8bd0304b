import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Site, startSite } from '../support/site.ts';

/** The bot as a process, next to the sandbox's process. */

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.stop());

/** Answers every ping correctly, but never checks its signature. */
async function startCredulousServer() {
  const server = createServer(({ url }, response) => {
    if (url === '/discord/events') response.writeHead(204).end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{"type":1}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe('npm run bot:register', () => {
  const oneLine = (pattern: string) => new RegExp(`^satchel: ${pattern}\\n$`);

  test('a wrong token, and a server that checks no signatures, are refused in one line', async () => {
    const wrong = await site.registerBot({ DISCORD_BOT_TOKEN: 'not-the-token' });
    expect(wrong.output).toMatch(oneLine('DISCORD_BOT_TOKEN: .*'));
    expect(wrong.code).toBe(1);

    const credulous = await startCredulousServer();
    const careless = await site.registerBot({ PUBLIC_URL: credulous.url });
    credulous.close();
    expect(careless.output).toMatch(oneLine(`Discord refused ${credulous.url} .*interactions_endpoint_url.*`));
    expect(careless.code).toBe(1);
  });

  test('reports in one line what it registered and where', async () => {
    const { code, output } = await site.registerBot();
    expect(output).toMatch(oneLine(`.*/upload.* are registered, and Discord asks ${site.url}/discord/interactions`));
    expect(code).toBe(0);
  });
});
