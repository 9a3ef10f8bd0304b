import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { APIEmbed } from 'discord-api-types/v10';
import { afterEach, expect, test } from 'vitest';
import type { ChatMessage } from '../chat-entities.ts';
import { createLinkCards } from './link-cards.ts';
import { readLoopbackUrl } from './loopback-fetch.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A page on this machine, and the cards that were made of what is said about it. */
async function startSite(handler: Handler) {
  const seen: { url: string; agent: string | undefined }[] = [];
  const server = createServer((request, response) => {
    seen.push({ url: request.url ?? '', agent: request.headers['user-agent'] });
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const attached: { id: string; embeds: readonly APIEmbed[] }[] = [];
  const cards = createLinkCards({ attach: (id, embeds) => void attached.push({ id, embeds }) });
  closers.push(
    () => cards.close(),
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, seen, attached, cards };
}

const page: Handler = (_request, response) =>
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<title>A page</title>');
const author = { id: '7', name: 'Mika', avatar_url: '/a.png', is_bot: false };
const message = (content: string, changes: Partial<ChatMessage> = {}): ChatMessage => ({
  id: '9',
  channel_id: '1',
  author,
  content,
  embeds: [],
  components: [],
  timestamp: '2026-01-01T00:00:00.000Z',
  edited_timestamp: null,
  is_ephemeral: false,
  used: null,
  state: 'sent',
  ...changes,
});

test('a link is fetched once, as Discord does, without what stands after the #', async () => {
  const { origin, seen, attached, cards } = await startSite(page);
  const said = message(`look: ${origin}/f/abc?x=1#k=canary`);
  void cards.consider(said);
  // Each reader's event, and the card's own event, brings the message again.
  void cards.consider({ ...said, embeds: [{ title: 'A page' }] });
  await expect.poll(() => attached).toHaveLength(1);
  const agent = 'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)';
  expect(seen).toEqual([{ url: '/f/abc?x=1', agent }]);
  expect(attached).toEqual([{ id: '9', embeds: [{ title: 'A page', url: `${origin}/f/abc?x=1#k=canary` }] }]);
});

test('what only one person sees, and what the author put in angle brackets, stays without', async () => {
  const { origin, seen, attached, cards } = await startSite(page);
  void cards.consider(message(`${origin}/private`, { id: '1', is_ephemeral: true }));
  void cards.consider(message(`<${origin}/bracketed> \`${origin}/code\``, { id: '2' }));
  void cards.consider(message('', { id: '3', state: 'thinking' }));
  void cards.consider(message(`${origin}/public`, { id: '4' }));
  await expect.poll(() => attached).toHaveLength(1);
  expect(seen.map(({ url }) => url)).toEqual(['/public']);
});

test.each([
  'https://discord.com/',
  'http://10.0.0.1/',
  'http://127.0.0.1.example.com/',
  'http://localhost@example.com/',
  'http://user@127.0.0.1/',
  'http://[::2]/',
  'ftp://127.0.0.1/',
  'file:///etc/passwd',
])('%s is none of the sandbox’s business', (address) => {
  expect(readLoopbackUrl(address)).toBeNull();
});

test('no redirect is followed, since it might lead off this machine', async () => {
  const { origin, seen, attached, cards } = await startSite((request, response) => {
    if (request.url === '/off') return response.writeHead(302, { location: '/there' }).end();
    page(request, response);
  });
  void cards.consider(message(`${origin}/off ${origin}/here`));
  await expect.poll(() => attached).toHaveLength(1);
  expect(attached[0]?.embeds.map(({ url }) => url)).toEqual([`${origin}/here`]);
  expect(seen.map(({ url }) => url).sort()).toEqual(['/here', '/off']);
});

test('a page that is no page, is missing, or has no end gives at most what its beginning says', async () => {
  const { origin, attached, cards } = await startSite((request, response) => {
    if (request.url === '/missing')
      return response.writeHead(404, { 'content-type': 'text/html' }).end('<title>No</title>');
    if (request.url === '/picture')
      return response.writeHead(200, { 'content-type': 'image/png' }).end('<title>No</title>');
    response.writeHead(200, { 'content-type': 'text/html' }).write('<title>Endless</title>');
    const more = () => {
      if (response.destroyed) return;
      response.write('x'.repeat(65_536));
      setImmediate(more);
    };
    more();
  });
  void cards.consider(message(`${origin}/missing ${origin}/picture ${origin}/endless`));
  await expect.poll(() => attached).toHaveLength(1);
  expect(attached[0]?.embeds).toEqual([{ title: 'Endless', url: `${origin}/endless` }]);
});
