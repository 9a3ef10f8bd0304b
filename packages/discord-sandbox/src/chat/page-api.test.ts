import { request as httpRequest } from 'node:http';
import { expect, test } from 'vitest';
import { APPLICATION_ID, GENERAL, type Json, READING_ROOM, startBot } from '../api/test-bot.ts';
import { createSandbox } from '../app.ts';

type Running = Awaited<ReturnType<typeof startBot>>;

/** What the page asks, as a browser on that page asks it. */
async function ask({ origin }: Running, method: string, path: string, body?: unknown) {
  const response = await fetch(`${origin}/chat/api${path}`, {
    method,
    headers: { origin, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as Json };
}

/** The status of a request with any headers, such as only an attacker or no browser would send. */
function statusOf(origin: string, method: string, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${origin}${path}`, { method, headers }, (response) => {
      response.resume();
      request.destroy();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject);
    request.end(method === 'POST' ? '{"content":"canary"}' : undefined);
  });
}

/** The events of a stream as they come in, until `count` of them are there. */
async function readEvents(response: Response, count: number): Promise<Json[]> {
  let text = '';
  const events: Json[] = [];
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const data = /^data: (.*)$/m.exec(part)?.[1];
      if (data !== undefined) events.push(JSON.parse(data));
    }
    if (events.length >= count) return events;
  }
  return events;
}

const words = `/mika/channels/${GENERAL}/messages`;

test('a person says something, uses a command, clicks and dismisses; who else is there hears what they may', async () => {
  const bot = await startBot();
  const button = { type: 1, components: [{ type: 2, style: 1, label: 'Go', custom_id: 'go' }] };
  bot.application.handler = (interaction) => ({
    body:
      interaction.type === 3
        ? { type: 4, data: { content: 'Gone', flags: 64 } }
        : { type: 4, data: { content: 'Hi', components: [button] } },
  });
  const stop = new AbortController();
  const stream = await fetch(`${bot.origin}/chat/api/events?as=mika&as=jonas`, { signal: stop.signal });
  expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');

  expect((await ask(bot, 'POST', words, { content: 'Hello' })).status).toBe(201);
  expect((await ask(bot, 'POST', `/mika/channels/${GENERAL}/commands`, { name: 'hello', options: {} })).status).toBe(
    204,
  );
  const { body: before } = await ask(bot, 'GET', words);
  const answer = before.at(-1);
  expect(answer).toMatchObject({
    content: 'Hi',
    used: { command: 'hello' },
    author: { name: 'Satchel', is_bot: true },
  });
  expect((await ask(bot, 'POST', `/jonas/messages/${answer.id}/clicks`, { custom_id: 'go' })).status).toBe(204);

  const told = await readEvents(stream, 5);
  stop.abort();
  expect(told.map(({ persona, event }) => [persona, event.message.content])).toEqual([
    ['mika', 'Hello'],
    ['jonas', 'Hello'],
    ['mika', 'Hi'],
    ['jonas', 'Hi'],
    ['jonas', 'Gone'],
  ]);
  const { body: seen } = await ask(bot, 'GET', `/jonas/channels/${GENERAL}/messages`);
  const { id } = seen.at(-1);
  expect((await ask(bot, 'DELETE', `/mika/messages/${id}`)).status).toBe(400);
  expect((await ask(bot, 'DELETE', `/jonas/messages/${id}`)).status).toBe(204);
  expect((await ask(bot, 'GET', `/jonas/channels/${GENERAL}/messages`)).body).toHaveLength(2);
});

test('commands, suggestions, places and people are asked for by name', async () => {
  const bot = await startBot();
  bot.application.handler = () => ({ body: { type: 8, data: { choices: [{ name: 'One', value: 'one' }] } } });
  const channel = `/lena/channels/${GENERAL}`;
  expect((await ask(bot, 'GET', `${channel}/commands`)).body.map(({ name }: Json) => name)).toEqual(['hello', 'find']);
  const typed = { name: 'find', options: { what: 'o' }, focused: 'what' };
  expect((await ask(bot, 'POST', `${channel}/autocomplete`, typed)).body).toEqual([{ name: 'One', value: 'one' }]);
  expect((await ask(bot, 'GET', '/lena/places')).body.map(({ name }: Json) => name)).toEqual([
    'Brass Lantern',
    'Satchel',
  ]);
  const people = (await ask(bot, 'GET', '/personas')).body;
  expect(people).toHaveLength(5);
  expect(people[0]).toMatchObject({ persona: 'mika', name: 'Mika' });
  expect((await fetch(bot.origin + people[4].avatar_url)).status).toBe(200);
});

test('a modal is told to whom it opened for, and takes their answer', async () => {
  const bot = await startBot();
  const input = { type: 4, custom_id: 'hours', style: 1 };
  const modal = { custom_id: 'm', title: 'More', components: [{ type: 18, label: 'Hours', component: input }] };
  bot.application.handler = (interaction) => ({
    body: interaction.type === 5 ? { type: 4, data: { content: 'Thanks' } } : { type: 9, data: modal },
  });
  await ask(bot, 'POST', `/mika/channels/${GENERAL}/commands`, { name: 'hello', options: {} });
  const opened = bot.events.find(({ event }) => event.kind === 'modal')?.event as Json;
  const fields = { hours: '3' };
  expect((await ask(bot, 'POST', `/jonas/modals/${opened.modal.id}`, { fields })).status).toBe(400);
  expect((await ask(bot, 'POST', `/mika/modals/${opened.modal.id}`, { fields })).status).toBe(204);
  expect((await ask(bot, 'GET', words)).body.at(-1).content).toBe('Thanks');
});

test('what can’t be done there is refused in words', async () => {
  const bot = await startBot();
  const library = `/lena/channels/${READING_ROOM}/messages`;
  expect(await ask(bot, 'GET', library)).toEqual({ status: 400, body: { message: 'You are not in that channel.' } });
  for (const [method, path, body] of [
    ['GET', '/nobody/places', undefined],
    ['GET', '/mika/channels/x/messages', undefined],
    ['POST', words, { content: 'a', author: 'jonas' }],
    ['POST', words, { content: 7 }],
    ['GET', '/events', undefined],
    ['GET', '/events?as=mika&as=nobody', undefined],
  ] as const) {
    expect((await ask(bot, method, path, body)).status, path).toBe(400);
  }
  expect(bot.events).toEqual([]);
});

test('only the chat’s own page may use it, and only on this machine', async () => {
  const bot = await startBot();
  const { origin } = bot;
  const { host } = new URL(origin);
  const json = { 'content-type': 'application/json' };
  const post = (headers: Record<string, string>) =>
    statusOf(origin, 'POST', `/chat/api${words}`, { ...json, ...headers });
  const get = (path: string, headers: Record<string, string>) => statusOf(origin, 'GET', path, headers);
  // Another site, another port of this machine, a page that hides where it is, and none at all.
  expect(await post({ origin: 'https://evil.example' })).toBe(403);
  expect(await post({ origin: 'http://127.0.0.1:9' })).toBe(403);
  expect(await post({ origin: 'null' })).toBe(403);
  expect(await post({})).toBe(403);
  expect(await post({ origin, 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await post({ origin, 'sec-fetch-site': 'same-site' })).toBe(403);
  // A foreign host name that resolves to this machine.
  expect(await post({ origin: 'http://evil.example', host: 'evil.example' })).toBe(403);
  for (const path of [
    '/chat',
    '/chat/style.css',
    '/chat/api/personas',
    '/chat/media?url=x',
    '/chat/api/events?as=mika',
    '/sandbox/problems',
  ]) {
    expect(await get(path, { host: 'evil.example' }), path).toBe(403);
  }
  const rebound = { origin: 'http://evil.example', host: 'evil.example', 'sec-fetch-site': 'same-origin' };
  const form = { ...rebound, 'content-type': 'application/x-www-form-urlencoded' };
  expect(await statusOf(origin, 'POST', '/oauth2/authorize/install', form)).toBe(403);
  for (const path of ['/chat/api/personas', '/chat/media?url=x', '/chat/api/events?as=mika']) {
    expect(await get(path, { 'sec-fetch-site': 'cross-site' }), path).toBe(403);
    expect(await get(path, { origin: 'https://evil.example' }), path).toBe(403);
  }
  // From another machine's page one may come to the chat by a link, as to any page.
  expect(await get('/chat', { 'sec-fetch-site': 'cross-site' })).toBe(200);
  expect(bot.events).toEqual([]);
  expect(await post({ origin, host })).toBe(201);
});

test('the page runs no code but its own, which is TypeScript without its types', async () => {
  const { origin } = await startBot();
  const page = await fetch(`${origin}/chat`);
  const policy = page.headers.get('content-security-policy');
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("style-src 'self'");
  expect(policy).not.toContain('unsafe');
  const markup = await page.text();
  expect(markup).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
  const addresses = [...markup.matchAll(/(?:href|src)="(\/chat\/code\/[^"]+)"/g)].map(([, address]) => address);
  expect(addresses.length).toBeGreaterThan(10);
  for (const address of new Set(addresses)) {
    const response = await fetch(origin + address);
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(await response.text()).not.toMatch(/^import type|^export interface|innerHTML/m);
  }
  expect((await fetch(`${origin}/chat/code/messages/markdown.test.ts`)).status).toBe(404);
  expect((await fetch(`${origin}/chat/code/..%2Fclient-api.ts`)).status).toBe(404);
});

test('a picture of an embed comes through the sandbox, if it is one and of this machine', async () => {
  const { origin } = await startBot();
  const media = (url: string) => fetch(`${origin}/chat/media?url=${encodeURIComponent(url)}`);
  const picture = await media(`${origin}/embed/avatars/0.png`);
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
  for (const url of [`${origin}/icon.svg`, `${origin}/`, 'https://example.com/a.png', 'nonsense']) {
    expect((await media(url)).status, url).toBe(404);
  }
});

test('a person adds the application to a server they manage, and removes it from their account; the application is told', async () => {
  const bot = await startBot();
  const { origin } = bot;
  await bot.asBot('PATCH', '/applications/@me', {
    event_webhooks_url: `${bot.application.origin}/events`,
    event_webhooks_status: 2,
    event_webhooks_types: ['APPLICATION_DEAUTHORIZED'],
  });
  const { body: apps } = await ask(bot, 'GET', '/otto/installations');
  const addPage = await (await fetch(origin + apps.add_url)).text();
  expect(addPage.match(/<strong>[^<]+/g)?.slice(0, 3)).toEqual([
    '<strong>Brass Lantern',
    '<strong>Quiet Library',
    '<strong>Mika’s own account',
  ]);
  const library = apps.targets.find(({ name }: Json) => name === 'Quiet Library');
  expect(library).toMatchObject({ kind: 'server', is_installed: false });

  const add = (persona: string, headers: Record<string, string>) =>
    fetch(`${origin}/oauth2/authorize/install`, {
      method: 'POST',
      headers,
      body: new URLSearchParams({ choice: `${persona} ${library.id}` }),
    });
  expect((await add('otto', { origin: 'https://evil.example' })).status).toBe(403);
  expect((await add('jonas', { origin })).status).toBe(400);
  expect((await add('otto', { origin })).status).toBe(200);
  const { body: after } = await ask(bot, 'GET', '/otto/installations');
  expect(after.targets.every((target: Json) => target.is_installed)).toBe(true);

  bot.application.events.length = 0;
  expect((await ask(bot, 'DELETE', '/otto/installations')).status).toBe(204);
  expect(bot.application.events.at(-1)?.body.event).toMatchObject({
    type: 'APPLICATION_DEAUTHORIZED',
    data: { user: { username: 'otto.sandbox' } },
  });
  const { body: removed } = await ask(bot, 'GET', '/otto/installations');
  expect(removed.targets.find(({ kind }: Json) => kind === 'account').is_installed).toBe(false);
  expect((await fetch(`${origin}/oauth2/authorize?client_id=1&scope=bot`)).status).toBe(400);
});

test('a page that still listens does not hold up the end', async () => {
  const client = { clientId: APPLICATION_ID, clientSecret: 'a secret', redirectUris: [] };
  const { app } = createSandbox(client);
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const stream = await fetch(`${origin}/chat/api/events?as=mika`);
  // It ends as an answer does, and is not cut off.
  const [text] = await Promise.all([stream.text(), app.close()]);
  expect(text).toBe('retry: 1000\n\n');
});
