import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkApplicationEdit, checkCommands } from '@satchel/discord-sandbox/schema/check';
import { describe, expect, test } from 'vitest';
import { commandDefinitions } from '../../src/bot/definitions.ts';
import { registerBot } from '../../src/bot/register.ts';
import { createDiscordApplication, type DiscordApplication } from '../../src/platform/discord/discord-application.ts';
import { DISCORD_PRIVATE_KEY, DISCORD_PUBLIC_KEY } from '../support/discord/discord-keys.ts';
import { CLIENT, startSandbox } from '../support/discord/sandbox.ts';
import { freePort } from '../support/free-port.ts';
import { entryOf, INHERITED } from '../support/server-process.ts';
import { createTestApp } from '../support/test-app.ts';

/** npm run bot:register, with the sandbox as Discord. */

const BOT_TOKEN = 'the-bot-token-of-this-test';
const ENTRY = entryOf('register');

const port = await freePort();
const sandbox = await startSandbox(`http://127.0.0.1:${port}/auth/v1/callback`, {
  privateKey: DISCORD_PRIVATE_KEY,
  botToken: BOT_TOKEN,
});
const app = await createTestApp({ env: { PORT: String(port), DISCORD_API_URL: sandbox.apiUrl } });

const ask = async (path: string) => {
  const response = await fetch(sandbox.apiUrl + path, { headers: { authorization: `Bot ${BOT_TOKEN}` } });
  return (await response.json()) as Record<string, unknown> & Record<string, unknown>[];
};

interface Given {
  readonly botToken?: string;
  readonly apiUrl?: string;
  readonly clientId?: string;
  readonly publicKey?: string;
  readonly publicUrl?: string;
  readonly application?: DiscordApplication;
}
const register = ({ botToken = BOT_TOKEN, apiUrl = sandbox.apiUrl, ...rest }: Given = {}) =>
  registerBot({
    application: createDiscordApplication({ apiUrl, botToken }),
    clientId: CLIENT.clientId,
    publicKey: DISCORD_PUBLIC_KEY,
    publicUrl: app.config.publicUrl,
    tiers: app.config.tiers,
    ...rest,
  });

/** Runs an entry as its own process, with settings only. */
const runEntry = (env: Record<string, string>, ...command: [entry: string, ...args: string[]] | []) =>
  new Promise<{ code: number; out: string; errors: string }>((resolve) => {
    execFile(
      process.execPath,
      command.length > 0 ? command : [ENTRY],
      { env: { ...INHERITED, ...env } },
      (error, out, errors) => resolve({ code: error ? Number(error.code) : 0, out, errors }),
    );
  });

describe('registering', () => {
  test('publishes the commands, and has the running server probed, by settings alone', async () => {
    const { publicUrl } = app.config;
    const env = {
      PUBLIC_URL: publicUrl,
      DISCORD_CLIENT_ID: CLIENT.clientId,
      DISCORD_CLIENT_SECRET: CLIENT.clientSecret,
      DISCORD_PUBLIC_KEY,
      DISCORD_API_URL: sandbox.apiUrl,
      DISCORD_BOT_TOKEN: BOT_TOKEN,
    };
    const said = `/upload /list /share /delete /settings /help are registered, and Discord asks ${publicUrl}/discord/interactions`;
    expect(await runEntry(env)).toEqual({ code: 0, out: `satchel: ${said}\n`, errors: '' });
    const byCommand = await runEntry(env, entryOf('satchel-admin'), 'bot', 'register', '--json');
    expect(byCommand).toEqual({ code: 0, out: `${JSON.stringify({ done: said })}\n`, errors: '' });
    const commands = await ask(`/applications/${CLIENT.clientId}/commands?with_localizations=true`);
    expect(commands).toMatchObject(commandDefinitions(app.config.tiers).map(({ name }) => ({ name })));
    expect(await ask('/applications/@me')).toMatchObject({
      interactions_endpoint_url: `${publicUrl}/discord/interactions`,
      event_webhooks_url: `${publicUrl}/discord/events`,
      event_webhooks_status: 2,
      event_webhooks_types: ['APPLICATION_DEAUTHORIZED'],
      integration_types_config: {
        0: { oauth2_install_params: { scopes: ['applications.commands', 'bot'], permissions: 0 } },
        1: { oauth2_install_params: { scopes: ['applications.commands'], permissions: 0 } },
      },
    });
  });

  test('again changes nothing', async () => {
    const idsOf = async () => (await ask(`/applications/${CLIENT.clientId}/commands`)).map(({ id }) => id);
    await register();
    const before = await idsOf();
    await register();
    expect(await idsOf()).toEqual(before);
  });
});

test('sends what Discord’s schema expects', async () => {
  const sent: unknown[] = [];
  const application: DiscordApplication = {
    read: async () => ({ id: CLIENT.clientId, verify_key: DISCORD_PUBLIC_KEY }) as never,
    edit: async (settings) => void sent.push(...checkApplicationEdit(JSON.parse(JSON.stringify(settings)))),
    putCommands: async (_, commands) => void sent.push(...checkCommands(commands)),
  };
  await register({ application, publicUrl: 'https://files.example.org' });
  expect(sent).toEqual([]);
});

describe('an error is one line that names the setting', () => {
  test('no token', async () => {
    const env = {
      DISCORD_CLIENT_ID: CLIENT.clientId,
      DISCORD_CLIENT_SECRET: CLIENT.clientSecret,
      DISCORD_PUBLIC_KEY,
      DISCORD_API_URL: sandbox.apiUrl,
    };
    const refused = /^satchel: DISCORD_BOT_TOKEN: is missing\. [^\n]+\n$/;
    expect(await runEntry(env)).toEqual({ code: 1, out: '', errors: expect.stringMatching(refused) });
    const byCommand = await runEntry(env, entryOf('satchel-admin'), 'bot', 'register');
    expect(byCommand).toEqual({ code: 2, out: '', errors: expect.stringMatching(refused) });
  });

  test.each([
    ['a token that is none', { botToken: 'another' }, /^DISCORD_BOT_TOKEN: Discord does not take this token/],
    ['another application’s token', { clientId: '100000000000000002' }, /^DISCORD_BOT_TOKEN: is of application 1/],
    ['another application’s key', { publicKey: '0'.repeat(64) }, /^DISCORD_PUBLIC_KEY: is not the public key/],
    ['an API that is not there', { apiUrl: 'http://127.0.0.1:1/api/v10' }, /^DISCORD_API_URL: .* \(ECONNREFUSED\)$/],
    ['a server that is not there', { publicUrl: 'http://127.0.0.1:1' }, /^Discord refused http:\/\/127\.0\.0\.1:1 \(/],
  ])('%s', async (_, given, message) => {
    const error = await register(given).then(
      () => null,
      (thrown: Error) => thrown,
    );
    expect(error).toMatchObject({ name: 'RegistrationError', message: expect.stringMatching(message) });
    expect(error?.message).not.toContain('\n');
  });

  test('definitions that Discord does not take (50035), field by field', async () => {
    const discord = createServer((request, response) => {
      const isRead = request.method !== 'PUT';
      const wrong = { _errors: [{ code: 'BASE_TYPE_BAD_LENGTH', message: 'Must be between 1 and 100 in length.' }] };
      const refusal = { code: 50035, message: 'Invalid Form Body', errors: { 0: { description: wrong, name: wrong } } };
      response.writeHead(isRead ? 200 : 400, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isRead ? { id: CLIENT.clientId, verify_key: DISCORD_PUBLIC_KEY } : refusal));
    });
    await once(discord.listen(0, '127.0.0.1'), 'listening');
    const { port } = discord.address() as AddressInfo;
    await expect(register({ apiUrl: `http://127.0.0.1:${port}/api/v10` })).rejects.toThrow(
      'Discord refused the commands: Invalid Form Body; 0.description[BASE_TYPE_BAD_LENGTH]: Must be between 1 and 100 in length.; 0.name[',
    );
    discord.close();
  });
});
