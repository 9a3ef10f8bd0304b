import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ChatClient, createChatClient } from '../support/discord.ts';
import { randomBytesOf } from '../support/files.ts';
import { type CreatedFolder, createPlainFolder, type Person, runTus, runTusUntil, signIn } from '../support/people.ts';
import { type Site, startSite } from '../support/site.ts';

/** The bot as a process, next to the sandbox's process. */

const MIB = 1024 ** 2;

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

describe('the reply to /upload', () => {
  let mika: Person;
  let folder: CreatedFolder;
  let chat: ChatClient;

  const reply = async () => {
    const all = await chat.messages();
    return all.at(-1)!;
  };
  const says = (text: string | RegExp) => expect.poll(async () => (await reply()).content).toMatch(text);
  const target = (name: string) => ({ url: site.url, person: mika, path: `${folder.bucket_storage_path}/${name}` });

  beforeAll(async () => {
    mika = await signIn(site, 'mika');
    folder = await createPlainFolder(mika, 'Night shift');
    chat = createChatClient(site.sandboxUrl, 'mika');
  });

  test('lists files whose upload was running when the server was killed', async () => {
    const [choice] = await chat.suggestions('upload', 'folder', 'night');
    expect(choice).toMatchObject({ value: folder.id });
    await chat.run('upload', { folder: folder.id });
    expect(await reply()).toMatchObject({ is_ephemeral: true, edited_timestamp: null });

    const bytes = randomBytesOf(4 * MIB);
    const uploadUrl = await runTusUntil(target('half_1_a.bin'), bytes, 2 * MIB);
    await site.kill9();
    await site.restart();
    expect((await runTus(target('half_1_a.bin'), bytes, { uploadUrl })).error).toBeNull();
    await says(/Night shift\*\* now holds 1 file, 4\.00 MB/);
    expect(await reply()).toMatchObject({ is_ephemeral: true, state: 'sent' });
  });

  test('lists files that were complete, but not yet listed, when the server was killed', async () => {
    expect((await runTus(target('whole_1_b.bin'), randomBytesOf(2 * MIB))).error).toBeNull();
    await site.kill9();
    await site.restart();
    await says(/2 files, 6\.00 MB/);
  });

  test('writes no credential of Discord’s into the server’s log', async () => {
    expect(site.logs()).not.toMatch(/webhooks\/\d+\/\S/);
    expect(site.logs()).not.toContain('sandbox-bot-token');
  });
});
