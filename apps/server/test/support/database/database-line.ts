import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';

/** A proxy on loopback between the server and the real database. A test can freeze or cut it. */
export interface DatabaseLine {
  readonly url: string;
  /** Receives everything and forwards nothing, like a stopped database. */
  freeze(): void;
  /** Ends every connection and refuses new ones, like a database that has ended. */
  cut(): Promise<void>;
  /** Forwards again. Requests that arrived while frozen stay unanswered: their clients have given up. */
  restore(): Promise<void>;
  /** New connections lead to another database. */
  lead(url: string): void;
  close(): Promise<void>;
}

/**
 * The address that a database URL names. The embedded database listens on a socket in a folder, which the URL gives as
 * host.
 */
export function addressOf(url: string): { path: string } | { host: string; port: number } {
  const { host, port } = new pg.Client(url);
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
}

/** The same database through a port of this machine. */
export function urlByPort(url: string, port: number): string {
  const near = new URL(url);
  near.searchParams.delete('host');
  near.host = `127.0.0.1:${port}`;
  return near.href;
}

export async function createDatabaseLine(url: string): Promise<DatabaseLine> {
  let target = addressOf(url);
  const sockets = new Set<Socket>();
  let isFrozen = false;

  const server = createServer((near) => {
    sockets.add(near);
    near.on('error', () => undefined).on('close', () => sockets.delete(near));
    if (isFrozen) return;
    const far = connect(target);
    sockets.add(far);
    far.on('error', () => undefined).on('close', () => sockets.delete(far));
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const dropAll = () => {
    for (const socket of sockets) socket.destroy();
  };

  return {
    url: urlByPort(url, port),
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    async cut() {
      server.close();
      dropAll();
      await once(server, 'close');
    },
    async restore() {
      isFrozen = false;
      dropAll();
      if (!server.listening) await once(server.listen(port, '127.0.0.1'), 'listening');
    },
    lead(url) {
      target = addressOf(url);
    },
    async close() {
      dropAll();
      if (server.listening) server.close();
    },
  };
}
