import { UPLOAD_SOCKET_PATH, UPLOAD_SOCKET_PROTOCOL } from '@satchel/contract/upload-socket';
import type { Account, TestApp } from '../test-app.ts';

/** The upload socket as a browser opens it, with Node's own WebSocket: a protocol of another hand. */

export interface SocketMessage {
  readonly ready?: number;
  readonly ack?: number;
  readonly done?: number;
  readonly error?: { readonly code: string; readonly status: number };
}

export interface SocketClient {
  /** Everything the server has said so far. */
  readonly messages: readonly SocketMessage[];
  readonly socket: WebSocket;
  /** Resolves with the first message that has that field. */
  heard(field: keyof SocketMessage): Promise<SocketMessage>;
  begin(url: string, offset: number, as: Account | string): void;
  /** Resolves when the connection has ended. */
  readonly closed: Promise<{ code: number; reason: string }>;
}

export const idOf = (url: string): string => url.split('/').at(-1)!;

/** A server, by the address that clients have of it. */
interface Address {
  readonly baseUrl: string;
  readonly config: { readonly publicUrl: string };
}

export async function openSocket(
  app: Address,
  { headers = {}, protocol = UPLOAD_SOCKET_PROTOCOL }: { headers?: Record<string, string>; protocol?: string } = {},
): Promise<SocketClient> {
  const address = `${app.baseUrl.replace('http', 'ws')}${UPLOAD_SOCKET_PATH}`;
  // Node's WebSocket takes headers, which a browser's sets itself.
  const options = { protocols: [protocol], headers: { origin: app.config.publicUrl, ...headers } };
  const socket = new WebSocket(address, options as unknown as string[]);
  socket.binaryType = 'arraybuffer';
  const messages: SocketMessage[] = [];
  const changed = new EventTarget();
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason }));
  });
  socket.addEventListener('message', ({ data }) => {
    messages.push(JSON.parse(data));
    changed.dispatchEvent(new Event('message'));
  });
  const opened = Promise.withResolvers<void>();
  socket.addEventListener('open', () => opened.resolve());
  socket.addEventListener('error', () => opened.reject(new Error('the server refused the socket')));
  await opened.promise;
  return {
    messages,
    socket,
    closed,
    async heard(field) {
      for (;;) {
        const found = messages.find((message) => message[field] !== undefined);
        if (found) return found;
        const next = new Promise((resolve) => changed.addEventListener('message', resolve, { once: true }));
        const isOver = await Promise.race([next.then(() => false), closed.then(() => true)]);
        if (isOver && !messages.some((message) => message[field] !== undefined)) {
          throw new Error(`closed without ${field}: ${JSON.stringify(messages)}`);
        }
      }
    },
    begin(url, offset, as) {
      socket.send(JSON.stringify({ id: idOf(url), offset, token: typeof as === 'string' ? as : as.bearer }));
    },
  };
}

/** Sends bytes as a browser would, in messages of that size. */
export function sendIn({ socket }: SocketClient, bytes: Uint8Array<ArrayBuffer>, messageBytes = 256 * 1024): void {
  for (let at = 0; at < bytes.length; at += messageBytes) socket.send(bytes.subarray(at, at + messageBytes));
}

/** A handshake by hand; `null` leaves a header out. */
export function handshake(app: TestApp, headers: Readonly<Record<string, string | null>> = {}): string {
  const all = {
    host: 'x',
    connection: 'Upgrade',
    upgrade: 'websocket',
    origin: app.config.publicUrl,
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-protocol': UPLOAD_SOCKET_PROTOCOL,
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  return [`GET ${UPLOAD_SOCKET_PATH} HTTP/1.1`, ...lines, '', ''].join('\r\n');
}

export interface FrameOptions {
  readonly isFinal?: boolean;
  readonly reserved?: number;
  readonly isMasked?: boolean;
  readonly mask?: readonly number[];
}

/** A client's frame, made as RFC 6455 §5.2 draws it. */
export function clientFrame(opcode: number, payload: Uint8Array, options: FrameOptions = {}): Buffer {
  const { isFinal = true, reserved = 0, isMasked = true, mask = [1, 2, 3, 4] } = options;
  const { length } = payload;
  const size = length < 126 ? Buffer.from([length]) : Buffer.alloc(length < 65_536 ? 3 : 9);
  if (length >= 65_536) size.writeBigUInt64BE(BigInt(length), 1);
  else if (length >= 126) size.writeUInt16BE(length, 1);
  if (length >= 126) size[0] = length < 65_536 ? 126 : 127;
  if (isMasked) size[0]! |= 0x80;
  const masked = payload.map((byte, at) => (isMasked ? byte ^ mask[at & 3]! : byte));
  return Buffer.concat([
    Buffer.from([(isFinal ? 0x80 : 0) | reserved | opcode]),
    size,
    Buffer.from(isMasked ? mask : []),
    masked,
  ]);
}
