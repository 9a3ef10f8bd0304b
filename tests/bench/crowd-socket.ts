import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';

/**
 * A client of the upload socket (docs/upload-socket.md) that costs little: it sends one prepared frame of 256 KiB over and
 * over, under one mask.
 */

export interface SocketAsk {
  readonly origin: string;
  readonly id: string;
  readonly token: string;
  readonly bytes: number;
}

export interface SocketAnswer {
  /** From the opening to `ready`, in milliseconds. */
  readonly readyMs: number;
  /** From `ready`, or from the last acknowledgement, to the next one; the last ends with `done`. */
  readonly ackMs: readonly number[];
}

const FRAME_BYTES = 256 * 1024;
/** What waits in this process for the system to take it. */
const AHEAD_BYTES = 2 * 1024 * 1024;
const [TEXT, BINARY] = [1, 2];
const MASK = randomBytes(4);

function headOf(opcode: number, length: number): Buffer {
  const head = Buffer.alloc(14);
  head[0] = 0x80 | opcode;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(length), 2);
  MASK.copy(head, 10);
  return head;
}

const masked = (bytes: Buffer) => Buffer.from(bytes.map((byte, at) => byte ^ MASK[at & 3]!));
const FILLING = masked(Buffer.alloc(FRAME_BYTES, 'satchel '));
const FRAME = Buffer.concat([headOf(BINARY, FRAME_BYTES), FILLING]);

const textFrame = (text: string) => {
  const bytes = Buffer.from(text);
  return Buffer.concat([headOf(TEXT, bytes.length), masked(bytes)]);
};

/** The frames of an upload, as large as they may be. */
function* framesOf(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= FRAME_BYTES)
    yield left >= FRAME_BYTES ? FRAME : Buffer.concat([headOf(BINARY, left), FILLING.subarray(0, left)]);
}

interface Said {
  readonly ready?: number;
  readonly ack?: number;
  readonly done?: number;
}

/** Reads the server's short texts; its pings need no answer from a client that sends. */
function createEar(hear: (said: Said) => void): (bytes: Buffer) => void {
  let held = Buffer.alloc(0);
  let isUpgraded = false;
  return (bytes) => {
    held = Buffer.concat([held, bytes]);
    if (!isUpgraded) {
      const end = held.indexOf('\r\n\r\n');
      if (end < 0) return;
      if (!held.toString('latin1').startsWith('HTTP/1.1 101')) throw new Error(held.toString('latin1').slice(0, 2000));
      isUpgraded = true;
      held = held.subarray(end + 4);
    }
    while (held.length >= 2) {
      const isLong = held[1] === 126;
      const from = isLong ? 4 : 2;
      if (held.length < from) return;
      const end = from + (isLong ? held.readUInt16BE(2) : held[1]!);
      if (held.length < end) return;
      const payload = held.subarray(from, end);
      if ((held[0]! & 0x0f) === TEXT) hear(JSON.parse(payload.toString()) as Said);
      held = held.subarray(end);
    }
  };
}

/** Sends one upload from its first byte to its last. */
export function sendOverSocket(port: number, localAddress: string, ask: SocketAsk): Promise<SocketAnswer> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, localAddress, noDelay: true });
    const frames = framesOf(ask.bytes);
    const ackMs: number[] = [];
    let readyMs = 0;
    let heardAt = 0;

    const fill = () => {
      while (socket.writableLength < AHEAD_BYTES) {
        const { value } = frames.next();
        if (value === undefined) return;
        socket.write(value);
      }
    };
    const hear = (said: Said) => {
      const now = performance.now();
      if (said.ready !== undefined) {
        readyMs = now - started;
        socket.on('drain', fill);
        fill();
      } else if (said.ack === undefined && said.done === undefined) return reject(new Error(JSON.stringify(said)));
      else ackMs.push(now - heardAt);
      heardAt = now;
      if (said.done === undefined) return;
      resolve({ readyMs, ackMs });
      socket.destroy();
    };
    const take = createEar(hear);
    socket.on('data', (bytes) => {
      try {
        take(bytes);
      } catch (error) {
        reject(error);
      }
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the connection was closed')));
    socket.write(
      `${[
        'GET /storage/v1/upload/socket HTTP/1.1',
        'host: bench',
        'connection: Upgrade',
        'upgrade: websocket',
        `origin: ${ask.origin}`,
        'sec-websocket-version: 13',
        `sec-websocket-key: ${randomBytes(16).toString('base64')}`,
        'sec-websocket-protocol: satchel.upload.1',
      ].join('\r\n')}\r\n\r\n`,
    );
    socket.write(textFrame(JSON.stringify({ id: ask.id, offset: 0, token: ask.token })));
  });
}
