import { Agent, type RequestOptions, request } from 'node:http';
import { connect, type Socket } from 'node:net';

/**
 * One attacker, as a process of its own (attacks.ts starts it): every connection comes from 127.0.0.1. It exits with
 * its parent, and after ten minutes at the latest.
 */

export interface Ask {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Messages of the parent. */
export type Order =
  /** Number of concurrent copies of the request. */
  | { readonly kind: 'burst'; readonly ask: Ask; readonly count: number }
  /** Number of connections to open; each sends one request and never reads the answer. */
  | { readonly kind: 'idle_readers'; readonly ask: Ask; readonly count: number };

/** Messages of the attacker: `begun` once everything is sent, `done` with the number of each answer. */
export interface Word {
  readonly kind: 'begun' | 'done';
  readonly answers: Readonly<Record<string, number>>;
}

const LIFE_MS = 10 * 60_000;
/** Connections that may be opening at the same time. */
const OPENING = 200;
const OPEN_WITHIN_MS = 30_000;
const [, , port = ''] = process.argv;
const target = { host: '127.0.0.1', port: Number(port), localAddress: '127.0.0.1' };

const say = (word: Word) => process.send?.(word);
const tally = (names: readonly string[]) =>
  Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));

const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });

function answerTo(ask: Ask): Promise<string> {
  const { method, path, headers, body } = ask;
  const options: RequestOptions = { ...target, method, path, headers, agent };
  return new Promise((resolve) => {
    const sent = request(options, (response) => {
      response.resume();
      response.on('end', () => resolve(String(response.statusCode)));
      response.on('error', () => resolve('cut'));
    });
    sent.on('error', () => resolve('cut'));
    sent.end(body);
  });
}

async function burst(ask: Ask, count: number): Promise<void> {
  const answers = Array.from({ length: count }, () => answerTo(ask));
  say({ kind: 'begun', answers: {} });
  say({ kind: 'done', answers: tally(await Promise.all(answers)) });
}

const held: Socket[] = [];

/** Opens one connection that sends a request and never reads; returns the result. */
function openReader(head: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(target);
    socket.pause();
    const tooLong = setTimeout(() => socket.destroy(), OPEN_WITHIN_MS);
    socket.once('connect', () => {
      clearTimeout(tooLong);
      held.push(socket);
      socket.write(head, () => resolve('open'));
    });
    socket.once('error', () => resolve('refused'));
    socket.once('close', () => resolve('refused'));
  });
}

async function holdReaders({ method, path, headers }: Ask, count: number): Promise<void> {
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map((header) => header.join(': '));
  const head = `${[`${method} ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`;
  const outcomes: string[] = [];
  let begun = 0;
  const openMore = async () => {
    while (begun++ < count) outcomes.push(await openReader(head));
  };
  await Promise.all(Array.from({ length: OPENING }, openMore));
  say({ kind: 'begun', answers: tally(outcomes) });
}

process.on('message', (order: Order) => {
  if (order.kind === 'burst') void burst(order.ask, order.count);
  else void holdReaders(order.ask, order.count);
});
process.on('disconnect', () => process.exit(0));
setTimeout(() => process.exit(0), LIFE_MS).unref();
