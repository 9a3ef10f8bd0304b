import { connect, createServer, type Socket } from 'node:net';

/** A line to an S3 gateway that does to requests and answers what networks and stores do to them. */

export const STORE_FAULTS = ['error', 'slow down', 'silence', 'lost answer', 'cut', 'flip'] as const;
/**
 * `lost answer`: the store did what was asked. `cut`: in the body, of a PUT on its way in, of a GET on its way out. `flip`: a bit
 * in the body of a PUT; TLS notices it on a line.
 */
export type StoreFault = (typeof STORE_FAULTS)[number];

export interface FaultProxy {
  readonly endpoint: string;
  /** The next `times` requests by this method meet the fault. Objects are deleted by a POST. */
  arm(fault: StoreFault, method: 'GET' | 'PUT' | 'POST' | 'any', times: number): void;
  disarm(): void;
  /** How many requests met one since the last call of `arm`. */
  struck(): number;
  close(): Promise<void>;
}

const REQUEST = /^(GET|PUT|POST|HEAD|DELETE) \S+ HTTP\/1\.1\r\n/;
const HEAD_MAX_BYTES = 4096;
/** An answer of S3 with an error, as that has its code in XML. */
function errorOf(status: string, code: string, header = ''): string {
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>of this test</Message></Error>`;
  const head = `HTTP/1.1 ${status}\r\n${header}content-type: application/xml\r\ncontent-length: ${body.length}`;
  return `${head}\r\nconnection: close\r\n\r\n${body}`;
}
const REFUSALS: Partial<Record<StoreFault, string>> = {
  error: errorOf('500 Internal Server Error', 'InternalError'),
  'slow down': errorOf('503 Slow Down', 'SlowDown', 'retry-after: 1\r\n'),
};
const IS_CONTINUE = /^HTTP\/1\.1 100 /;

const startOf = (chunk: Buffer) => chunk.subarray(0, HEAD_MAX_BYTES).toString('latin1');

/** Where the body begins in a chunk that begins with a head, or 0. */
function bodyAt(chunk: Buffer, hasHead: boolean): number {
  if (!hasHead) return 0;
  const end = chunk.indexOf('\r\n\r\n');
  return end === -1 ? chunk.length : end + 4;
}

function pass(from: Socket, to: Socket, bytes: Uint8Array): void {
  if (to.destroyed || to.write(bytes)) return;
  from.pause();
  to.once('drain', () => from.resume());
}

/** @param endpoint of the gateway */
export async function createFaultProxy(endpoint: string): Promise<FaultProxy> {
  const storePort = Number(new URL(endpoint).port);
  const sockets = new Set<Socket>();
  let armed: { fault: StoreFault; method: string; left: number } | null = null;
  let struck = 0;

  function faultOf(method: string): StoreFault | null {
    if (!armed || armed.left === 0 || (armed.method !== 'any' && armed.method !== method)) return null;
    if (armed.fault === 'flip' && method !== 'PUT') return null;
    armed.left -= 1;
    struck += 1;
    return armed.fault;
  }

  const server = createServer((client) => {
    const store = connect(storePort, '127.0.0.1');
    let method = '';
    let fault: StoreFault | null = null;
    /** Whether the next bytes of the answer begin with its head. */
    let isAnswerNew = true;
    const end = () => {
      client.destroy();
      store.destroy();
    };

    /** Damages the first bytes of a body, once. @returns whether the chunk is passed on */
    function damage(chunk: Buffer, hasHead: boolean, to: Socket): boolean {
      const at = bodyAt(chunk, hasHead);
      if (at === chunk.length) return true;
      const middle = at + Math.floor((chunk.length - at) / 2);
      if (fault === 'flip') {
        chunk[middle]! ^= 1;
        fault = null;
        return true;
      }
      if (fault !== 'cut') return true;
      to.write(chunk.subarray(0, middle), end);
      return false;
    }

    for (const socket of [client, store]) {
      sockets.add(socket);
      socket.on('error', end);
      socket.on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    client.on('data', (chunk: Buffer) => {
      const [, asked] = REQUEST.exec(startOf(chunk)) ?? [];
      if (asked) {
        method = asked;
        fault = faultOf(asked);
        isAnswerNew = true;
        const refusal = fault && REFUSALS[fault];
        if (refusal) client.end(refusal);
      }
      if (fault === 'silence' || (fault && fault in REFUSALS)) return;
      if (method === 'PUT' && !damage(chunk, asked !== undefined, store)) return;
      pass(client, store, chunk);
    });
    store.on('data', (chunk: Buffer) => {
      const hasHead = isAnswerNew;
      if (!(hasHead && IS_CONTINUE.test(startOf(chunk)))) {
        if (fault === 'lost answer') return end();
        isAnswerNew = false;
        if (method === 'GET' && !damage(chunk, hasHead, client)) return;
      }
      pass(store, client, chunk);
    });
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });

  return {
    endpoint: `http://127.0.0.1:${port}`,
    arm(fault, method, times) {
      armed = { fault, method, left: times };
      struck = 0;
    },
    disarm() {
      armed = null;
    },
    struck: () => struck,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
