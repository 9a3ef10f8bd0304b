import { expect, test } from 'vitest';
import { APPLICATION_ID, startBot } from './test-bot.ts';

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
  const change = { interactions_endpoint_url: application.endpoint, event_webhooks_status: 2 };
  expect(await asBot('PATCH', ME, change)).toMatchObject({
    status: 400,
    body: {
      code: 50_035,
      errors: { interactions_endpoint_url: { _errors: [{ code: 'INVALID', message: 'could not be verified' }] } },
    },
  });
  expect((await asBot('GET', ME)).body).toMatchObject({ interactions_endpoint_url: null, event_webhooks_status: 1 });
});

test('an endpoint of events that acknowledges without a type is not saved, as at Discord', async () => {
  const { asBot, application } = await startBot();
  const change = { event_webhooks_url: `${application.origin}/events` };
  application.eventType = {};
  expect((await asBot('PATCH', ME, change)).status).toBe(400);
  application.eventType = { 'content-type': 'application/json' };
  expect((await asBot('PATCH', ME, change)).status).toBe(200);
});

test.each([
  ['no address', { event_webhooks_url: 'satchel' }, 'event_webhooks_url'],
  ['an unknown event', { event_webhooks_types: ['MESSAGE_CREATE'] }, 'event_webhooks_types'],
  ['an unknown status', { event_webhooks_status: 3 }, 'event_webhooks_status'],
  ['six tags', { tags: ['a', 'b', 'c', 'd', 'e', 'f'] }, 'tags'],
])('%s is no setting', async (_case, change, name) => {
  const { asBot } = await startBot();
  const { status, body } = await asBot('PATCH', ME, change);
  expect([status, Object.keys(body.errors)]).toEqual([400, [name]]);
});

test('only the bot’s own token opens the application', async () => {
  const { call, asBot } = await startBot();
  const refused = { status: 401, body: { message: '401: Unauthorized', code: 0 } };
  for (const authorization of ['', 'Bot', 'Bot wrong', 'Bearer the bot token of this test']) {
    expect(await call('GET', ME, undefined, { authorization })).toMatchObject(refused);
    expect(await call('PUT', COMMANDS, [], { authorization })).toMatchObject(refused);
  }
  expect((await asBot('PUT', '/applications/100000000000000009/commands', [])).status).toBe(404);
  expect((await asBot('GET', COMMANDS)).body).toHaveLength(2);
});

test('commands are written all at once, and keep their ids by their names', async () => {
  const { asBot } = await startBot();
  const hello = { name: 'hello', description: 'Says hello', description_localizations: { de: 'Grüßt' } };
  const [before] = (await asBot('GET', COMMANDS)).body;
  const put = await asBot('PUT', COMMANDS, [hello]);
  expect(put.body).toMatchObject([{ ...hello, id: before.id, application_id: APPLICATION_ID, type: 1 }]);
  expect(put.body[0].version).not.toBe(before.version);
  expect((await asBot('PUT', COMMANDS, [{ name: 'Hello' }])).status).toBe(400);
  expect((await asBot('GET', COMMANDS)).body).toEqual(put.body);
});

test('the application hears of who takes it off, when it asked to', async () => {
  const { asBot, application, bot, chat } = await startBot();
  const event_webhooks_url = `${application.origin}/events`;
  await asBot('PATCH', ME, { event_webhooks_url, event_webhooks_types: ['APPLICATION_DEAUTHORIZED'] });
  await bot.installations.deauthorize('jonas');
  await asBot('PATCH', ME, { event_webhooks_status: 2, event_webhooks_types: [] });
  await bot.installations.deauthorize('jonas');
  expect(application.events.map(({ body }) => body.type)).toEqual([0, 0]);
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

test('an event that is not acknowledged can be looked up', async () => {
  const { asBot, application, bot, lastProblem } = await startBot();
  await asBot('PATCH', ME, {
    event_webhooks_url: `${application.origin}/events`,
    event_webhooks_status: 2,
    event_webhooks_types: ['APPLICATION_DEAUTHORIZED'],
  });
  application.eventStatus = 500;
  await bot.installations.deauthorize('mika');
  expect(lastProblem()?.what).toContain('was not acknowledged');
});
