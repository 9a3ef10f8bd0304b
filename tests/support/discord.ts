import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { checkAsked, checkTold } from '@satchel/discord-sandbox/schema/traffic';
import type { Locator, Page, Response } from 'playwright-core';
import { expect } from 'vitest';
import { freePort } from '../../apps/server/test/support/free-port.ts';
import { ASKS_AGAIN, isLost } from './people.ts';
import { type Site, startSite } from './site.ts';

/** The sandbox's chat for one person, without its page. */

export interface ChatMessage {
  readonly id: string;
  readonly content: string;
  readonly edited_timestamp: string | null;
  readonly is_ephemeral: boolean;
  readonly state: 'sent' | 'thinking' | 'failed';
}

type CommandOptions = Readonly<Record<string, string | number | boolean>>;

export interface ChatClient {
  /** The messages that the person sees, oldest first. */
  messages(): Promise<readonly ChatMessage[]>;
  /** Resolves when the command has been answered. */
  run(name: string, options: CommandOptions): Promise<void>;
  /** The application's suggestions for an option. */
  suggestions(name: string, focused: string, typed: string): Promise<readonly { name: string; value: string }[]>;
}

/** @param channel of the server with everyone but Otto */
export function createChatClient(sandboxUrl: string, persona: string, channel = 'general'): ChatClient {
  const base = `${sandboxUrl}/chat/api/${persona}`;
  async function ask(path: string, body?: unknown): Promise<unknown> {
    const headers = { origin: sandboxUrl, 'content-type': 'application/json' };
    const post = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(base + path, body === undefined ? {} : post);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
  async function channelPath(): Promise<string> {
    const places = (await ask('/places')) as { channels: { id: string; name: string }[] }[];
    const found = places.flatMap(({ channels }) => channels).find(({ name }) => name === channel);
    if (!found) throw new Error(`${persona} sees no #${channel}`);
    return `/channels/${found.id}`;
  }
  return {
    async messages() {
      const { messages } = (await ask(`${await channelPath()}/messages`)) as { messages: ChatMessage[] };
      return messages;
    },
    async run(name, options) {
      await ask(`${await channelPath()}/commands`, { name, options });
    },
    async suggestions(name, focused, typed) {
      const body = { name, options: { [focused]: typed }, focused };
      return (await ask(`${await channelPath()}/autocomplete`, body)) as { name: string; value: string }[];
    },
  };
}

/** What the sandbox says of the bot's answers. */

interface Problem {
  readonly what: string;
}

/** How the sandbox words a missing answer; 502 to 504 come from a balancer. */
const LOST =
  /: (the endpoint (could not be reached|answered with status 50[234])|there was no answer within \d+ ms)\.$/;

async function problemsOf(sandboxUrl: string): Promise<readonly Problem[]> {
  return (await (await fetch(`${sandboxUrl}/sandbox/problems`)).json()) as Problem[];
}

/** Answers that Discord would refuse. Answers lost with a node that was killed on purpose don't count. */
export const wrongAnswers = async (sandboxUrl: string): Promise<readonly Problem[]> =>
  (await problemsOf(sandboxUrl)).filter(({ what }) => !(ASKS_AGAIN && LOST.test(what)));

/** How many clicks on messages got no answer so far. */
export const lostClicks = async (sandboxUrl: string): Promise<number> =>
  (await problemsOf(sandboxUrl)).filter(({ what }) => what.startsWith('interaction of type 3: ') && LOST.test(what))
    .length;

/**
 * The sandbox's chat in a browser, for one person. Its labels: packages/discord-sandbox/src/chat/browser/main.ts. Where nodes
 * are killed on purpose, the person does again what got no answer, as Discord tells them, and never what got a wrong one.
 */

type Options = Readonly<Record<string, string | { readonly pick: string }>>;

export interface Chat {
  readonly page: Page;
  /** The last message with this text; replies change, and older ones stay. */
  message(text: string | RegExp): Locator;
  messages(): Locator;
  say(text: string): Promise<void>;
  /**
   * Types a command with its options and sends it.
   * @param options by name; for one with suggestions, the text to find the suggestion by
   */
  use(command: string, options?: Options): Promise<void>;
  /** Clicks a button of a message, which must be there until the click is answered. */
  press(message: Locator, button: string): Promise<void>;
  /** Sends an open form. */
  submit(form: Locator): Promise<void>;
}

const isPostTo = (ending: RegExp) => (response: Response) =>
  response.request().method() === 'POST' && ending.test(new URL(response.url()).pathname);

/** Opens the chat of a persona, in #general of the first server. */
export async function openChat(page: Page, sandboxUrl: string, persona: string): Promise<Chat> {
  await page.goto(`${sandboxUrl}/chat?as=${persona}`);
  const words = page.getByRole('textbox', { name: 'Message #general' });
  await words.waitFor();
  const messages = () => page.getByRole('log', { name: 'Messages in #general' }).getByRole('article');
  const client = createChatClient(sandboxUrl, persona);

  /** Does what the sandbox answers once the bot has answered it, or can't any more. */
  async function answered(ending: RegExp, act: () => Promise<void>): Promise<Response> {
    const [response] = await Promise.all([page.waitForResponse(isPostTo(ending)), act()]);
    return response;
  }

  async function pick(field: Locator, text: string): Promise<void> {
    await field.fill(text);
    const option = page.getByRole('option', { name: text }).first();
    if (ASKS_AGAIN) {
      const failed = page.getByText('Loading options failed', { exact: true });
      await option.or(failed).first().waitFor();
      if (await failed.isVisible()) {
        expect(await wrongAnswers(sandboxUrl)).toEqual([]);
        await field.fill('');
        return pick(field, text);
      }
    }
    await option.click();
  }

  async function type(command: string, options: Options): Promise<void> {
    await words.fill(`/${command}`);
    await page.getByRole('option', { name: new RegExp(`^/${command}\\b`) }).click();
    for (const [name, value] of Object.entries(options)) {
      const field = page.getByRole('group', { name: `/${command}` }).getByRole('combobox', { name, exact: true });
      if (typeof value === 'string') await field.fill(value);
      else await pick(field, value.pick);
    }
    await answered(/\/commands$/, () => page.getByRole('button', { name: 'Send' }).click());
  }

  async function use(command: string, options: Options = {}): Promise<void> {
    await type(command, options);
    if (!ASKS_AGAIN || !(await client.messages()).some(({ state }) => state === 'failed')) return;
    expect(await wrongAnswers(sandboxUrl)).toEqual([]);
    const failed = messages().filter({ hasText: 'The application did not respond' });
    await failed.getByRole('button', { name: 'Dismiss message' }).click();
    await failed.waitFor({ state: 'detached' });
    await use(command, options);
  }

  async function press(message: Locator, button: string): Promise<void> {
    const before = ASKS_AGAIN ? await lostClicks(sandboxUrl) : 0;
    await answered(/\/clicks$/, () => message.getByRole('button', { name: button }).click());
    if (!ASKS_AGAIN || (await lostClicks(sandboxUrl)) === before) return;
    await message.getByText('This interaction failed').waitFor();
    await press(message, button);
  }

  async function submit(form: Locator): Promise<void> {
    const response = await answered(/\/modals\//, () => form.getByRole('button', { name: 'Submit' }).click());
    if (!ASKS_AGAIN || response.ok()) return;
    expect(await wrongAnswers(sandboxUrl)).toEqual([]);
    await form.getByText('Something went wrong. Try again.').waitFor();
    await submit(form);
  }

  return {
    page,
    messages,
    message: (text) => messages().filter({ hasText: text }).last(),
    async say(text) {
      await words.fill(text);
      await words.press('Enter');
    },
    use,
    press,
    submit,
  };
}

/** Follows a link that opens in a tab of its own. */
export async function follow(link: Locator): Promise<Page> {
  const [tab] = await Promise.all([link.page().context().waitForEvent('page'), link.click()]);
  await tab.waitForLoadState('domcontentloaded');
  return tab;
}

/** Records the traffic between the Discord sandbox and Satchel. */

export interface Exchange {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  readonly sent: string;
  readonly answer: string;
}

/** A transparent proxy in front of a server that records relevant requests. */
export interface Tap {
  readonly port: number;
  readonly exchanges: readonly Exchange[];
  close(): Promise<void>;
}

interface TapOptions {
  readonly targetPort: number;
  readonly isOfInterest: (path: string) => boolean;
}

const pathOf = (message: IncomingMessage): string => (message.url ?? '/').replace(/\?.*/, '');

/** All bytes of a stream, once it has ended. */
function textOf(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => stream.on('close', () => resolve(Buffer.concat(chunks).toString())));
}

/** @param onAnswer gets the answer before any byte of it is passed on */
function pass(
  from: IncomingMessage,
  to: ServerResponse,
  { targetPort, onAnswer }: { targetPort: number; onAnswer: (answer: IncomingMessage) => void },
): void {
  const { method, url, headers } = from;
  const onward = request({ host: '127.0.0.1', port: targetPort, method, path: url, headers }, (answer) => {
    onAnswer(answer);
    to.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    // Streams such as the chat's events must not wait for their first byte.
    to.flushHeaders();
    answer.on('error', () => to.destroy());
    answer.pipe(to);
  });
  onward.on('error', () => to.destroy());
  to.on('close', () => onward.destroy());
  from.pipe(onward);
}

/** Passes a WebSocket on, unread: without this, the page would wait ten seconds for it before it sends requests. */
function passSocket({ method, url, rawHeaders }: IncomingMessage, browser: Duplex, targetPort: number): Duplex[] {
  const site = connect(targetPort, '127.0.0.1');
  const headers = rawHeaders.map((text, at) => (at % 2 ? `${text}\r\n` : `${text}: `)).join('');
  site.write(`${method} ${url} HTTP/1.1\r\n${headers}\r\n`);
  browser.pipe(site).pipe(browser);
  const ends = [browser, site];
  const end = () => {
    for (const each of ends) each.destroy();
  };
  for (const each of ends) each.on('error', end).on('close', end);
  return ends;
}

const listenAnywhere = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });

export async function openTap({ targetPort, isOfInterest }: TapOptions): Promise<Tap> {
  const exchanges: Exchange[] = [];
  const writeDown = (from: IncomingMessage, path: string) => {
    const sent = textOf(from);
    return async (answer: IncomingMessage) => {
      const text = textOf(answer);
      const { method = 'GET' } = from;
      exchanges.push({ method, path, status: answer.statusCode ?? 502, sent: await sent, answer: await text });
    };
  };
  const server = createServer((from, to) => {
    const path = pathOf(from);
    pass(from, to, { targetPort, onAnswer: isOfInterest(path) ? writeDown(from, path) : () => undefined });
  });
  const sockets = new Set<Duplex>();
  server.on('upgrade', (from, browser) => {
    for (const end of passSocket(from, browser, targetPort)) sockets.add(end);
  });
  return {
    port: await listenAnywhere(server),
    exchanges,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const end of sockets) end.destroy();
      }),
  };
}

export interface TappedSite {
  readonly site: Site;
  /** The sandbox's requests, and Satchel's answers. */
  readonly fromDiscord: readonly Exchange[];
  /** Satchel's requests to the API, and the sandbox's answers. */
  readonly toDiscord: readonly Exchange[];
  stop(): Promise<void>;
}

/** A whole Satchel with its bot; records all traffic between bot and sandbox. */
export async function startTappedSite(env: Readonly<Record<string, string>> = {}): Promise<TappedSite> {
  const [port, sandboxPort] = [await freePort(), await freePort()];
  const satchel = await openTap({
    targetPort: port,
    isOfInterest: (path) => path === '/discord/interactions' || path === '/discord/events',
  });
  const discord = await openTap({ targetPort: sandboxPort, isOfInterest: (path) => path.startsWith('/api/') });
  const closeTaps = () => Promise.all([satchel.close(), discord.close()]);
  const site = await startSite({
    port,
    sandboxPort,
    publicUrl: `http://127.0.0.1:${satchel.port}`,
    hasBot: true,
    env: { DISCORD_API_URL: `http://localhost:${discord.port}/api/v10`, ...env },
  }).catch(async (error) => {
    await closeTaps();
    throw error;
  });
  return {
    site,
    fromDiscord: satchel.exchanges,
    toDiscord: discord.exchanges,
    async stop() {
      await closeTaps();
      await site.stop();
    },
  };
}

/** Not checked here: sign-in is OAuth, and its personal data has tests of its own. */
const IS_SIGN_IN = /\/(oauth2\/|users\/@me$)/;

/** Messages between bot and sandbox so far that Discord would neither send nor accept. */
export const trafficProblems = ({ fromDiscord, toDiscord }: TappedSite): string[] => [
  ...fromDiscord.filter(({ status }) => !isLost(status)).flatMap(checkTold),
  ...toDiscord.filter(({ path }) => !IS_SIGN_IN.test(path)).flatMap(checkAsked),
];
