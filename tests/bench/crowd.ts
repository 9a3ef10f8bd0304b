import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SocketAsk, sendOverSocket } from './crowd-socket.ts';

/**
 * Many clients at once, as a process of its own (crowds.ts starts it), so that its processor time is not the server's.
 * Each has an address of its own: the server's limits for one client stay as they are. Answers are counted and not kept;
 * Node's own client would cost as much as the server does.
 */

export interface Ask {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes of a body, which repeat one buffer. */
  readonly bodyBytes?: number;
  readonly body?: string;
}

export interface Order {
  readonly port: number;
  /** One list of requests for each client, which sends them one after the other. */
  readonly clients: readonly (readonly Ask[])[];
  /** Further clients, which each send one upload over the socket. */
  readonly sockets?: readonly SocketAsk[];
  /** Begins the lists again until this time has passed; once through where it is left out. */
  readonly seconds?: number;
  /**
   * Each client begins a request in each span of so many milliseconds, at a random moment of it, however busy the server is;
   * where it is left out, one begins when the one before has ended.
   */
  readonly paceMs?: number;
}

export interface Outcome {
  /**
   * From the first byte of a request to the first and the last byte of its answer, in milliseconds. Of a socket, from its
   * opening until it may send, and from one acknowledgement to the next.
   */
  readonly firstMs: readonly number[];
  readonly ms: readonly number[];
  /** When each client had its last answer, in milliseconds after the first request of all. */
  readonly endedMs: readonly number[];
  readonly wallMs: number;
  readonly bytes: number;
}

const HEAD_END = '\r\n\r\n';
const READ_BYTES = 256 * 1024;
const LIFE_MS = 10 * 60_000;
/** 127.1.x.y: clients of 127.0.0.1 are the bench itself. */
const addressOf = (client: number) => `127.1.${client >> 8}.${client & 255 || 256 - 1}`;

const FILLING = Buffer.alloc(8 * 1024 * 1024, 'satchel ');

function headOf({ method, path, headers, body, bodyBytes }: Ask): string {
  const length = bodyBytes ?? (body === undefined ? null : Buffer.byteLength(body));
  const all = { host: 'bench', ...headers, ...(length === null ? {} : { 'content-length': String(length) }) };
  return `${[`${method} ${path} HTTP/1.1`, ...Object.entries(all).map((pair) => pair.join(': '))].join('\r\n')}${HEAD_END}${body ?? ''}`;
}

interface Answer {
  readonly firstMs: number;
  readonly ms: number;
  readonly bytes: number;
}

/** One connection, which sends a request and reads its answer. */
function openLine(port: number, localAddress: string) {
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  let hear: (bytes: Buffer) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const socket = connect({
    ...{ host: '127.0.0.1', port, localAddress, noDelay: true },
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

  function ask(head: Buffer, bodyBytes: number): Promise<Answer> {
    const started = performance.now();
    return new Promise((resolve, reject) => {
      fail = reject;
      let text = '';
      let firstMs = 0;
      let restBytes = -1;
      let bytes = 0;
      hear = (part) => {
        if (firstMs === 0) firstMs = performance.now() - started;
        bytes += part.length;
        if (restBytes < 0) {
          text += part.toString('latin1');
          const at = text.indexOf(HEAD_END);
          if (at < 0) return;
          const status = text.slice(9, 12);
          if (!/^2/.test(status)) return reject(new Error(`${status}: ${text.slice(0, 2000)}`));
          const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
          restBytes = length - (text.length - at - HEAD_END.length);
        } else restBytes -= part.length;
        if (restBytes <= 0) resolve({ firstMs, ms: performance.now() - started, bytes });
      };
      socket.write(head);
      for (let left = bodyBytes; left > 0; left -= FILLING.length)
        socket.write(left < FILLING.length ? FILLING.subarray(0, left) : FILLING);
    });
  }
  return { ask, end: () => socket.destroy() };
}

/** New clients in each round: a fast round takes most of what one client may read in a minute. */
let met = 0;

async function run({ port, clients, sockets = [], seconds, paceMs }: Order): Promise<Outcome> {
  const [firstMs, ms, endedMs]: [number[], number[], number[]] = [[], [], []];
  let bytes = 0;
  const before = met;
  met += clients.length + sockets.length;
  const started = performance.now();
  const untilMs = seconds === undefined ? started : started + seconds * 1000;
  const sent = sockets.map(async (ask, index) => {
    const answer = await sendOverSocket(port, addressOf(before + clients.length + index + 1), ask);
    firstMs.push(answer.readyMs);
    ms.push(...answer.ackMs);
    endedMs.push(performance.now() - started);
  });
  await Promise.all([
    ...sent,
    ...clients.map(async (asks, index) => {
      const line = openLine(port, addressOf(before + index + 1));
      const made = asks.map((each) => ({ head: Buffer.from(headOf(each)), bodyBytes: each.bodyBytes ?? 0 }));
      let spans = 0;
      do {
        for (const { head, bodyBytes } of made) {
          if (paceMs !== undefined) {
            const waitMs = started + (spans + Math.random()) * paceMs - performance.now();
            spans += 1;
            if (waitMs > 0) await sleep(waitMs);
          }
          const answer = await line.ask(head, bodyBytes);
          firstMs.push(answer.firstMs);
          ms.push(answer.ms);
          bytes += answer.bytes;
        }
      } while (performance.now() < untilMs);
      endedMs.push(performance.now() - started);
      line.end();
    }),
  ]);
  return { firstMs, ms, endedMs, bytes, wallMs: performance.now() - started };
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
