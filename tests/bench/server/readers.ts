import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Many clients at once, as its own process (reads.ts starts it), so that its processor time is not the server's.
 * Each has its own address: the server's limits for one client stay as they are. Answers are counted and not kept;
 * Node's own client would cost as much as the server does.
 */

export interface Ask {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Order {
  readonly port: number;
  /** One list of requests for each client, which POSTs them one after the other, and begins again until the time has passed. */
  readonly clients: readonly (readonly Ask[])[];
  readonly seconds: number;
}

export interface Outcome {
  /** From the first byte of a request to the last byte of its answer, in milliseconds. */
  readonly ms: readonly number[];
  readonly wallMs: number;
}

const HEAD_END = '\r\n\r\n';
const READ_BYTES = 256 * 1024;
const LIFE_MS = 10 * 60_000;
/** 127.1.x.y: clients of 127.0.0.1 are the bench itself. */
const addressOf = (client: number) => `127.1.${client >> 8}.${client & 255 || 256 - 1}`;

function requestOf({ path, headers, body }: Ask): Buffer {
  const all = { host: 'bench', ...headers, 'content-length': String(Buffer.byteLength(body)) };
  const lines = [`POST ${path} HTTP/1.1`, ...Object.entries(all).map((pair) => pair.join(': '))];
  return Buffer.from(`${lines.join('\r\n')}${HEAD_END}${body}`);
}

/** One connection, which sends a request and reads its answer. */
function openLine(port: number, localAddress: string) {
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  let hear: (bytes: Buffer) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const socket = connect({
    host: '127.0.0.1',
    port,
    localAddress,
    noDelay: true,
    onread: {
      buffer,
      callback(size) {
        hear(buffer.subarray(0, size));
        return true;
      },
    },
  });
  socket.on('error', (error) => fail(error));
  socket.on('close', () => fail(new Error('the connection was closed')));

  /** @returns how long it took, in milliseconds */
  function ask(request: Buffer): Promise<number> {
    const started = performance.now();
    return new Promise((resolve, reject) => {
      fail = reject;
      let text = '';
      let restBytes = -1;
      hear = (part) => {
        if (restBytes < 0) {
          text += part.toString('latin1');
          const at = text.indexOf(HEAD_END);
          if (at < 0) return;
          const status = text.slice(9, 12);
          if (!/^2/.test(status)) return reject(new Error(`${status}: ${text.slice(0, 2000)}`));
          const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
          restBytes = length - (text.length - at - HEAD_END.length);
        } else restBytes -= part.length;
        if (restBytes <= 0) resolve(performance.now() - started);
      };
      socket.write(request);
    });
  }
  return { ask, end: () => socket.destroy() };
}

/** New clients in each round: a fast round takes most of what one client may read in a minute. */
let met = 0;

async function run({ port, clients, seconds }: Order): Promise<Outcome> {
  const ms: number[] = [];
  const before = met;
  met += clients.length;
  const started = performance.now();
  await Promise.all(
    clients.map(async (asks, index) => {
      const line = openLine(port, addressOf(before + index + 1));
      const requests = asks.map(requestOf);
      do {
        for (const request of requests) ms.push(await line.ask(request));
      } while (performance.now() < started + seconds * 1000);
      line.end();
    }),
  );
  return { ms, wallMs: performance.now() - started };
}

process.on('message', (order: Order) => {
  run(order).then(
    (outcome) => process.send?.(outcome),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => process.exit(0));
await sleep(LIFE_MS, undefined, { ref: false });
