import { createPublicKey, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createSandbox } from '../app.ts';
import type { ChatEvent } from '../chat/chat-entities.ts';
import type { BotOptions } from './bot.ts';

export const APPLICATION_ID = '100000000000000001';
export const BOT_TOKEN = 'the bot token of this test';
const PRIVATE_KEY = '07'.repeat(32);

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
export type Json = any;

export interface Reply {
  readonly status?: number;
  readonly body?: unknown;
  readonly text?: string;
  readonly contentType?: string;
}
export type Handler = (interaction: Json) => Reply | Promise<Reply>;

const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

function isSigned(publicKey: string, headers: IncomingHttpHeaders, body: string): boolean {
  const key = createPublicKey({
    key: Buffer.concat([SPKI_PREFIX, Buffer.from(publicKey, 'hex')]),
    format: 'der',
    type: 'spki',
  });
  const { 'x-signature-ed25519': signature, 'x-signature-timestamp': timestamp } = headers;
  return verify(null, Buffer.from(`${timestamp}${body}`), key, Buffer.from(String(signature), 'hex'));
}

export interface Received {
  readonly body: Json;
  readonly headers: IncomingHttpHeaders;
  readonly isSigned: boolean;
}

/** A small application on its own port, which checks signatures as Discord demands. */
export async function startApplication(publicKey: string) {
  const state = {
    handler: (() => ({ body: { type: 4, data: { content: 'Hello' } } })) as Handler,
    /** What it does with a signature that is wrong. */
    checksSignatures: true,
    answersPing: true,
    eventStatus: 204,
    eventType: { 'content-type': 'application/json' } as Record<string, string>,
    received: [] as Received[],
    events: [] as Received[],
  };
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text);
    const received = { body, headers: request.headers, isSigned: isSigned(publicKey, request.headers, text) };
    const isEvent = request.url === '/events';
    (isEvent ? state.events : state.received).push(received);
    if (!received.isSigned && state.checksSignatures) return response.writeHead(401).end();
    if (isEvent) return response.writeHead(state.eventStatus, state.eventType).end();
    const isPing = body.type === 1;
    const reply = isPing && state.answersPing ? { body: { type: 1 } } : await state.handler(body);
    const { status = 200, contentType = 'application/json', text: given = JSON.stringify(reply.body) } = reply as Reply;
    response.writeHead(status, { 'content-type': contentType }).end(given);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(state, { origin, endpoint: `${origin}/interactions` });
}

const COMMANDS = [
  { name: 'hello', description: 'Says hello', contexts: [0, 1, 2], integration_types: [0, 1] },
  {
    name: 'find',
    description: 'Finds something',
    contexts: [0, 1, 2],
    integration_types: [0, 1],
    options: [
      { type: 3, name: 'what', description: 'What', required: true, autocomplete: true, max_length: 10 },
      { type: 4, name: 'count', description: 'How many', min_value: 1, max_value: 5 },
      { type: 5, name: 'loud', description: 'Loud' },
      { type: 6, name: 'with', description: 'Who else' },
      { type: 3, name: 'size', description: 'Size', choices: [{ name: 'Big', value: 'big' }] },
    ],
  },
];

/** A sandbox with two commands and an application that answers them. The clock stands still unless moved. */
export async function startBot(options: Partial<BotOptions> = {}) {
  let nowMs = Date.UTC(2026, 0, 1);
  const now = () => nowMs;
  const client = { clientId: APPLICATION_ID, clientSecret: 'a secret', redirectUris: [] };
  const { app, ...bot } = createSandbox({ ...client, privateKey: PRIVATE_KEY, botToken: BOT_TOKEN, now, ...options });
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const application = await startApplication(bot.publicKey);

  async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(`${origin}/api/v10${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? null : JSON.parse(text)) as Json,
    };
  }
  const asBot = (method: string, path: string, body?: unknown) =>
    call(method, path, body, { authorization: `Bot ${BOT_TOKEN}` });

  await asBot('PUT', `/applications/${APPLICATION_ID}/commands`, COMMANDS);
  await asBot('PATCH', '/applications/@me', { interactions_endpoint_url: application.endpoint });
  application.received.length = 0;

  const events: { persona: string; event: ChatEvent }[] = [];
  bot.chat.subscribe((persona, event) => void events.push({ persona, event }));
  return {
    origin,
    chat: bot.chat,
    lastProblem: () => bot.problems.all().at(-1),
    bot,
    application,
    events,
    call,
    asBot,
    /** Of the interaction that the application was sent last. */
    tokenPath: (rest = '') => `/webhooks/${APPLICATION_ID}/${application.received.at(-1)?.body.token}${rest}`,
    advance(durationMs: number) {
      nowMs += durationMs;
    },
  };
}

export const GENERAL = '310000000000000011';
export const READING_ROOM = '320000000000000011';
export const PRIVATE_CHAT = '330000000000000001';
