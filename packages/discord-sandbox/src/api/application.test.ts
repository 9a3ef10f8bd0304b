import { expect, test } from 'vitest';
import { APPLICATION_ID, GENERAL, startBot } from './test-bot.ts';

const ME = '/applications/@me';
const COMMANDS = `/applications/${APPLICATION_ID}/commands`;
const HELLO = { name: 'hello', options: {} };

test('an endpoint is saved when it answers a ping and refuses wrong signatures', async () => {
  const { asBot, application } = await startBot();
  const { status, body } = await asBot('PATCH', ME, { interactions_endpoint_url: application.endpoint });
  expect([status, body.interactions_endpoint_url]).toEqual([200, application.endpoint]);
  expect(application.received.map(({ body: sent, isSigned }) => [sent.type, isSigned])).toEqual([
    [1, true],
    [1, false],
    [1, false],
  ]);
  expect((await asBot('PATCH', ME, { interactions_endpoint_url: null })).body.interactions_endpoint_url).toBeNull();
});

test.each([
  ['takes any signature', { checksSignatures: false }],
  ['does not answer a ping', { answersPing: false }],
])('an endpoint that %s is not saved, and nothing else of that change either', async (_case, fault) => {
  const { asBot, application } = await startBot();
  await asBot('PATCH', ME, { interactions_endpoint_url: null });
  Object.assign(application, fault);
  const change = { interactions_endpoint_url: application.endpoint, description: 'New' };
  expect(await asBot('PATCH', ME, change)).toMatchObject({
    status: 400,
    body: {
      code: 50_035,
      errors: {
        interactions_endpoint_url: {
          _errors: [
            {
              code: 'APPLICATION_INTERACTIONS_ENDPOINT_URL_INVALID',
              message: 'The specified interactions endpoint URL could not be verified.',
            },
          ],
        },
      },
    },
  });
  expect((await asBot('GET', ME)).body).toMatchObject({ interactions_endpoint_url: null, description: '' });
});

test('an endpoint of events that acknowledges without a type is not saved, as at Discord', async () => {
  const { asBot, application } = await startBot();
  const change = { event_webhooks_url: `${application.origin}/events` };
  application.eventType = {};
  expect((await asBot('PATCH', ME, change)).status).toBe(400);
  application.eventType = { 'content-type': 'application/json' };
  expect((await asBot('PATCH', ME, change)).status).toBe(200);
});

test('an endpoint that takes a wrong signature later is taken off; one that refuses it, or is away, stays', async () => {
  const { asBot, application, bot, chat, lastProblem } = await startBot();
  const events = { event_webhooks_url: `${application.origin}/events` };
  await asBot('PATCH', ME, events);
  await bot.probes.probeAll();
  expect((await asBot('GET', ME)).body).toMatchObject({ interactions_endpoint_url: application.endpoint, ...events });

  application.checksSignatures = false;
  await bot.probes.probeAll();
  expect((await asBot('GET', ME)).body).toMatchObject({ interactions_endpoint_url: null, event_webhooks_url: null });
  expect(lastProblem()?.what).toMatch(/^events endpoint: it accepted a wrong (signature|timestamp), and was taken off/);
  await chat.runCommand('mika', GENERAL, HELLO);
  expect(chat.messagesIn('mika', GENERAL)).toMatchObject([{ state: 'failed' }]);
});

test('probes come by themselves', async () => {
  const { application } = await startBot({ probeIntervalMs: 20 });
  await expect.poll(() => application.received.some(({ isSigned }) => !isSigned)).toBe(true);
});

test.each([
  ['http on another machine', { interactions_endpoint_url: 'http://satchel.example/a' }, 'URL_TYPE_INVALID_SCHEME'],
  ['no address', { event_webhooks_url: 'satchel' }, 'URL_TYPE_INVALID_URL'],
  ['an unknown event', { event_webhooks_types: ['MESSAGE_CREATE'] }, 'BASE_TYPE_CHOICES'],
  ['an unknown status', { event_webhooks_status: 3 }, 'BASE_TYPE_CHOICES'],
  ['six tags', { tags: ['a', 'b', 'c', 'd', 'e', 'f'] }, 'BASE_TYPE_MAX_LENGTH'],
])('%s is no setting', async (_case, change, code) => {
  const { asBot } = await startBot();
  const { status, body } = await asBot('PATCH', ME, change);
  expect([status, JSON.stringify(body.errors)]).toEqual([400, expect.stringContaining(code)]);
});

test('null makes a setting what it was in the beginning', async () => {
  const { asBot, bot, chat } = await startBot();
  const { body: before } = await asBot('GET', ME);
  const changed = { description: 'New', tags: ['a'], event_webhooks_status: 2, event_webhooks_types: [], flags: 1 };
  expect((await asBot('PATCH', ME, changed)).body).toMatchObject(changed);
  const names = [...Object.keys(changed), 'integration_types_config'];
  const unset = Object.fromEntries(names.map((name) => [name, null]));
  expect((await asBot('PATCH', ME, unset)).body).toEqual(before);
  await bot.installations.deauthorize('mika');
  const hello = { name: 'hello', description: 'd', type: null };
  expect((await asBot('POST', COMMANDS, hello)).body).toMatchObject({ type: 1, integration_types: [0, 1] });
  expect(chat.commandsIn('mika', GENERAL).map(({ name }) => name)).toContain('hello');
});

test('only the bot’s own token opens the application', async () => {
  const { call, asBot } = await startBot();
  const refused = { status: 401, body: { message: '401: Unauthorized', code: 0 } };
  for (const authorization of ['', 'Bot', 'Bot wrong', 'Bearer the bot token of this test']) {
    expect(await call('GET', ME, undefined, { authorization })).toMatchObject(refused);
    expect(await call('PUT', COMMANDS, [], { authorization })).toMatchObject(refused);
  }
  expect(await asBot('PUT', '/applications/100000000000000009/commands', [])).toMatchObject({
    status: 403,
    body: { code: 20_012 },
  });
  expect((await asBot('GET', COMMANDS)).body).toHaveLength(2);
});

test('a bot asks 50 times in a second', async () => {
  const { asBot, advance } = await startBot();
  advance(1000);
  const statuses = [];
  for (let count = 0; count < 50; count++) statuses.push((await asBot('GET', COMMANDS)).status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  advance(400);
  const { status, headers, body } = await asBot('GET', COMMANDS);
  expect([status, body]).toEqual([
    429,
    { message: 'You are being rate limited.', code: 0, retry_after: 0.6, global: true },
  ]);
  expect(Object.fromEntries(headers)).toMatchObject({
    'retry-after': '1',
    'x-ratelimit-global': 'true',
    'x-ratelimit-scope': 'global',
  });
  advance(600);
  expect((await asBot('GET', COMMANDS)).status).toBe(200);
});

test('commands are written all at once or one by one, and keep their ids by their names', async () => {
  const { asBot } = await startBot();
  const hello = { name: 'hello', description: 'Says hello', description_localizations: { de: 'Grüßt' } };
  const [before] = (await asBot('GET', COMMANDS)).body;
  const put = await asBot('PUT', COMMANDS, [hello]);
  expect(put.body).toMatchObject([{ ...hello, id: before.id, application_id: APPLICATION_ID, type: 1 }]);
  expect(put.body[0].version).not.toBe(before.version);
  expect((await asBot('GET', COMMANDS)).body[0]).not.toHaveProperty('description_localizations');
  expect((await asBot('GET', `${COMMANDS}?with_localizations=true`)).body).toMatchObject([hello]);

  const bye = await asBot('POST', COMMANDS, { name: 'bye', description: 'Says bye' });
  expect(bye).toMatchObject({ status: 201, body: { integration_types: [0, 1], contexts: null } });
  const again = await asBot('POST', COMMANDS, { name: 'bye', description: 'Says good-bye' });
  expect(again).toMatchObject({ status: 200, body: { id: bye.body.id, description: 'Says good-bye' } });
  const path = `${COMMANDS}/${bye.body.id}`;
  expect((await asBot('PATCH', path, { description: 'Leaves' })).body).toMatchObject({
    name: 'bye',
    description: 'Leaves',
  });
  expect((await asBot('PATCH', path, { name: 'Bye' })).body.code).toBe(50_035);
  expect((await asBot('GET', path)).body.description).toBe('Leaves');
  expect((await asBot('DELETE', path)).status).toBe(204);
  const unknown = { status: 404, body: { message: 'Unknown application command', code: 10_063 } };
  for (const method of ['GET', 'DELETE']) expect(await asBot(method, path)).toMatchObject(unknown);
  expect((await asBot('PUT', COMMANDS, [{ name: 'Hello' }])).status).toBe(400);
  expect((await asBot('GET', COMMANDS)).body).toHaveLength(1);
});

test('the 101st command is one too many', async () => {
  const { asBot } = await startBot();
  const commands = Array.from({ length: 100 }, (_, at) => ({ name: `c${at}`, description: 'd' }));
  expect((await asBot('PUT', COMMANDS, commands)).status).toBe(200);
  expect(await asBot('POST', COMMANDS, { name: 'more', description: 'd' })).toMatchObject({
    status: 400,
    body: { code: 30_032 },
  });
  expect((await asBot('POST', COMMANDS, commands[0])).status).toBe(200);
});

test('the application hears of who takes it off, when it asked to', async () => {
  const { asBot, application, bot, chat } = await startBot();
  const event_webhooks_url = `${application.origin}/events`;
  await asBot('PATCH', ME, { event_webhooks_url, event_webhooks_types: ['APPLICATION_DEAUTHORIZED'] });
  await bot.installations.deauthorize('jonas');
  await asBot('PATCH', ME, { event_webhooks_status: 2, event_webhooks_types: [] });
  await bot.installations.deauthorize('jonas');
  expect(application.events.map(({ body }) => body.type)).toEqual([0, 0, 0]);
  application.events.length = 0;
  const change = {
    event_webhooks_url,
    event_webhooks_status: 2,
    event_webhooks_types: ['APPLICATION_DEAUTHORIZED'],
  };
  expect((await asBot('PATCH', ME, change)).body).toMatchObject(change);
  expect(application.events.map(({ body, isSigned }) => [body.type, isSigned])).toEqual([
    [0, true],
    [0, false],
    [0, false],
  ]);
  application.events.length = 0;
  await bot.installations.deauthorize('ava');
  expect(application.events).toMatchObject([
    {
      isSigned: true,
      headers: { 'user-agent': 'Discord-Webhook/1.0 (+https://discord.com)' },
      body: {
        version: 1,
        application_id: APPLICATION_ID,
        type: 1,
        event: { type: 'APPLICATION_DEAUTHORIZED', data: { user: { id: '9047382950617284611' } } },
      },
    },
  ]);
  const [server] = chat.placesOf('ava').filter(({ kind }) => kind === 'server');
  await chat.runCommand('ava', server?.channels[0]?.id ?? '', HELLO);
  expect(application.received.at(-1)?.body.authorizing_integration_owners).toEqual({ '0': server?.id });
});

test('an event that is not acknowledged comes again', async () => {
  const { asBot, application, bot, lastProblem } = await startBot({ firstRetryMs: 30 });
  await asBot('PATCH', ME, {
    event_webhooks_url: `${application.origin}/events`,
    event_webhooks_status: 2,
    event_webhooks_types: ['APPLICATION_DEAUTHORIZED'],
  });
  application.events.length = 0;
  application.eventStatus = 500;
  await bot.installations.deauthorize('mika');
  expect(lastProblem()?.what).toContain('was not acknowledged');
  application.eventStatus = 204;
  await expect.poll(() => application.events.length).toBeGreaterThan(1);
  expect(application.events[1]?.body).toEqual(application.events[0]?.body);
});
