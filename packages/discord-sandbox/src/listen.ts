import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';

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
export async function listen(app: FastifyInstance, { host, port }: { host: string; port: number }): Promise<number> {
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
