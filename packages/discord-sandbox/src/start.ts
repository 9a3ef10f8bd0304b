import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { type Bot, createBot } from './api/bot.ts';
import { createSandbox, type SandboxOptions } from './app.ts';
import { readSettings } from './settings.ts';

const loopbackNames = new Set(['127.0.0.1', 'localhost', '::1']);

/** Machines without IPv6 are fine; a port taken on ::1 is not, since "localhost" would lead to a stranger. */
const isMissingFamily = (error: NodeJS.ErrnoException) =>
  error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT' || error.code === 'EINVAL';

async function listenOnIpv6(server: Server, port: number) {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: '::1', port, ipv6Only: true }, resolve);
    });
  } catch (error) {
    if (!(error instanceof Error) || !isMissingFamily(error)) throw error;
  }
}

/**
 * Listens, and returns the port. On loopback it takes both 127.0.0.1 and ::1, because "localhost" means either,
 * depending on who resolves it.
 */
async function listen(app: FastifyInstance, { host, port }: { host: string; port: number }): Promise<number> {
  const onLoopback = loopbackNames.has(host);
  const second = createServer((request, response) => app.routing(request, response));
  app.addHook('preClose', async () => {
    if (second.listening) await new Promise((resolve) => second.close(resolve));
  });
  await app.listen({ host: onLoopback ? '127.0.0.1' : host, port });
  const { port: bound } = app.server.address() as AddressInfo;
  if (onLoopback) await listenOnIpv6(second, bound);
  return bound;
}

export interface StartOptions extends Omit<Partial<SandboxOptions>, 'bot' | 'publicUrl'> {
  /** 0 takes any free one, and does so unless told. */
  port?: number;
  /** `127.0.0.1` unless told, which is `localhost` and `::1`, too. */
  host?: string;
}

/** A local Discord that listens, and what an application needs to know of it. */
export interface StartedSandbox extends Pick<Bot, 'chat' | 'problems'> {
  /** Where it is, such as `http://localhost:3001`; its API is at `/api/v10`, its chat at `/chat`. */
  readonly origin: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly botToken: string;
  /** What its interactions are signed with: Ed25519, 64 hex characters. */
  readonly publicKey: string;
  /** Ends every connection, and frees the port. */
  close(): Promise<void>;
}

/**
 * Starts a local Discord in this process. Everybody who reaches it may be anyone in it: it belongs on loopback.
 * @throws Error if `privateKey` is no seed, and the system's error if the port can't be had: its `code` is `EADDRINUSE`, `EACCES` or the like
 */
export async function startSandbox(options: StartOptions = {}): Promise<StartedSandbox> {
  const { port, host, now, ...client } = { ...readSettings({}), port: 0, now: Date.now, ...options };
  const bot = createBot({ ...client, now });
  const app = createSandbox({ ...client, publicUrl: `http://localhost:${port}`, now, bot });
  const boundPort = await listen(app, { host, port });
  const { clientId, clientSecret, botToken } = client;
  return {
    origin: `http://localhost:${boundPort}`,
    clientId,
    clientSecret,
    botToken,
    publicKey: bot.publicKey,
    chat: bot.chat,
    problems: bot.problems,
    close: () => app.close(),
  };
}
