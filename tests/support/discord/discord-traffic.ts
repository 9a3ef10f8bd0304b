import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { freePort } from '../../../apps/server/test/support/free-port.ts';
import { type Site, startSite } from '../site/site.ts';

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
