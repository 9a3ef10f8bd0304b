import { createServer } from 'node:net';

/**
 * Below the ports that outgoing connections take by themselves (from 32,768 on Linux): a connection of another test can't
 * take the port between this look and the start of the server.
 */
const FIRST = 12_000;
const COUNT = 18_000;
/** Processes that run side by side begin at different places. */
let next = Math.floor(Math.random() * COUNT);

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/** A free loopback port, for a test that must know an address before it is served. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < COUNT; tries += 1) {
    next = (next + 1) % COUNT;
    // Another call moves on while this one looks.
    const port = FIRST + next;
    if (await isFree(port)) return port;
  }
  throw new Error('no free port');
}
