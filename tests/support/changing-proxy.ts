import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

/** A proxy between a site and its visitors that changes one thing on the way, as whoever has taken over a site could. */

export interface PassedAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** How the site had encoded it; it is passed on without. */
  readonly encoding: string | undefined;
  body: Buffer;
}
export type Change = (path: string, answer: PassedAnswer) => void;

export interface ChangingProxy {
  readonly url: string;
  /** What it does to each answer from now on. */
  change(change: Change): void;
  close(): Promise<void>;
}

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = { br: brotliDecompressSync, gzip: gunzipSync };
/** Of the way between two programs. */
const HOP = ['connection', 'content-encoding', 'content-length', 'keep-alive', 'transfer-encoding'];

function ask(port: number, { method, url, headers }: IncomingMessage): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, method, path: url, headers }, resolve).on('error', reject).end();
  });
}

/** Listens on a free port in front of the server at `port`; it passes on requests without bodies. */
export async function startChangingProxy(port: number): Promise<ChangingProxy> {
  let change: Change = () => undefined;
  const server = createServer(async (asked, response) => {
    const honest = await ask(port, asked);
    const bytes = await buffer(honest);
    const encoding = honest.headers['content-encoding'];
    const decode = DECODERS[encoding ?? ''];
    const answer: PassedAnswer = {
      status: honest.statusCode ?? 0,
      headers: Object.fromEntries(Object.entries(honest.headers).filter(([name]) => !HOP.includes(name))),
      encoding,
      body: decode && bytes.length > 0 ? decode(bytes) : bytes,
    };
    change(asked.url?.split('?', 1)[0] ?? '', answer);
    response.writeHead(answer.status, answer.headers);
    response.end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    change(next) {
      change = next;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
