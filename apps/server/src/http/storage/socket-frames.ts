import { createSharedReads } from '../../platform/blobs/shared-reads.ts';

/**
 * WebSocket frames (RFC 6455 §5), as far as the upload socket needs them. The payload of binary frames is handed on as it
 * is read, unmasked in place: no message is held or copied, so a slow sender's bytes count when they arrive, and the
 * buffers of the socket can be given back (docs/decisions/024-the-upload-socket.md).
 */

/** RFC 6455 §7.4.1. */
export const CLOSE = { normal: 1000, goingAway: 1001, protocol: 1002, policy: 1008, tooBig: 1009 } as const;

/** A client that breaks the protocol; `code` closes its connection. */
export class FrameError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.name = 'FrameError';
    this.code = code;
  }
}

export interface FrameLimits {
  readonly frameMaxBytes: number;
  readonly textMaxBytes: number;
  /** After this number of data frames, ones shorter than `frameMeanBytes` on average are refused. */
  readonly shortFramesMax: number;
  readonly frameMeanBytes: number;
  readonly controlFramesMax: number;
}

export interface FrameEvents {
  /** The next bytes of a binary message, whose memory is given back after `giveBack`. */
  readonly onBytes: (part: Buffer) => void;
  readonly onText: (text: string) => void;
  readonly onPing: (payload: Buffer) => void;
  readonly onClose: () => void;
}

const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
const KNOWN = new Set<number>(Object.values(OPCODES));
/** RFC 6455 §5.5: "All control frames MUST have a payload length of 125 bytes or less and MUST NOT be fragmented." */
const CONTROL_MAX_BYTES = 125;
const utf8 = new TextDecoder('utf-8', { fatal: true });

interface FrameHead {
  readonly opcode: number;
  readonly isFinal: boolean;
  readonly lengthBytes: number;
  readonly mask: Buffer;
}

/** How many bytes a frame's head has, as far as its first bytes tell. */
function headBytes(head: Buffer, known: number): number {
  if (known < 2) return 2;
  const short = head[1]! & 0x7f;
  return 6 + (short === 126 ? 2 : short === 127 ? 8 : 0);
}

/** Checks what a frame's first two bytes say. @throws FrameError */
function checkHead(first: number, second: number): void {
  const opcode = first & 0x0f;
  // RFC 6455 §5.2, of RSV1 to RSV3: "MUST be 0 unless an extension is negotiated that defines meanings for non-zero
  // values."
  if ((first & 0x70) !== 0) throw new FrameError(CLOSE.protocol, 'reserved bits');
  // RFC 6455 §5.2: "If an unknown opcode is received, the receiving endpoint MUST _Fail the WebSocket Connection_."
  if (!KNOWN.has(opcode)) throw new FrameError(CLOSE.protocol, 'unknown opcode');
  // RFC 6455 §5.1: "The server MUST close the connection upon receiving a frame that is not masked."
  if ((second & 0x80) === 0) throw new FrameError(CLOSE.protocol, 'no mask');
  const isWhole = (first & 0x80) !== 0 && (second & 0x7f) <= CONTROL_MAX_BYTES;
  if (opcode >= OPCODES.close && !isWhole) throw new FrameError(CLOSE.protocol, 'control frame');
}

function parseHead(head: Buffer, size: number): FrameHead {
  const [first, second] = [head[0]!, head[1]!];
  const short = second & 0x7f;
  const long = short === 126 ? head.readUInt16BE(2) : Number(head.readBigUInt64BE(2));
  return {
    opcode: first & 0x0f,
    isFinal: (first & 0x80) !== 0,
    lengthBytes: short < 126 ? short : long,
    mask: Buffer.from(head.subarray(size - 4, size)),
  };
}

/** Eight words a turn, of signed integers: 2.4 times as fast as one of unsigned ones, which cost a quarter of an upload. */
function unmaskWords(words: Int32Array, word: number): void {
  const wholeTurns = words.length & -8;
  let at = 0;
  for (; at < wholeTurns; at += 8) {
    words[at]! ^= word;
    words[at + 1]! ^= word;
    words[at + 2]! ^= word;
    words[at + 3]! ^= word;
    words[at + 4]! ^= word;
    words[at + 5]! ^= word;
    words[at + 6]! ^= word;
    words[at + 7]! ^= word;
  }
  for (; at < words.length; at += 1) words[at]! ^= word;
}

function unmaskBytes(bytes: Buffer, mask: Buffer, phase: number, from: number, to: number): void {
  for (let at = from; at < to; at += 1) bytes[at]! ^= mask[(phase + at) & 3]!;
}

/** The mask as it lies over a word whose first byte has this place in the payload. */
const turned = new Uint8Array(4);
const turnedWord = new Int32Array(turned.buffer);
function wordOf(mask: Buffer, phase: number): number {
  for (let at = 0; at < 4; at += 1) turned[at] = mask[(phase + at) & 3]!;
  return turnedWord[0]!;
}

/**
 * Unmasks bytes in place, by words where they lie at a word's boundary.
 * @param phase position of the first byte in the frame's payload
 */
function unmask(bytes: Buffer, mask: Buffer, phase: number): void {
  const { length, byteOffset, buffer } = bytes;
  const lead = Math.min(length, -byteOffset & 3);
  const wordCount = (length - lead) >> 2;
  unmaskBytes(bytes, mask, phase, 0, lead);
  if (wordCount > 0) unmaskWords(new Int32Array(buffer, byteOffset + lead, wordCount), wordOf(mask, phase + lead));
  unmaskBytes(bytes, mask, phase, lead + wordCount * 4, length);
}

export interface FrameReader {
  /**
   * Takes the next bytes of the connection, which it changes, and which have no other reader.
   * @throws FrameError, after which it is used up; or what an event throws
   */
  take(read: Buffer): void;
  /** Tells that bytes from `onBytes` are not read again. */
  giveBack(part: Uint8Array): void;
}

/** Reads a client's frames. */
export function createFrameReader(events: FrameEvents, limits: FrameLimits): FrameReader {
  const reads = createSharedReads();
  const head = Buffer.alloc(14);
  let headKnown = 0;
  let frame: FrameHead | null = null;
  let taken = 0;
  /** The opcode of the message under way, between its first frame and its final one. */
  let message: number | null = null;
  let held: Buffer[] = [];
  let heldBytes = 0;
  const data = { frames: 0, bytes: 0 };
  let controlFrames = 0;

  function count({ opcode, lengthBytes }: FrameHead): void {
    if (opcode >= OPCODES.close) {
      controlFrames += 1;
      if (controlFrames > limits.controlFramesMax) throw new FrameError(CLOSE.policy, 'too many control frames');
      return;
    }
    data.frames += 1;
    data.bytes += lengthBytes;
    if (lengthBytes > limits.frameMaxBytes) throw new FrameError(CLOSE.tooBig, 'frame too long');
    const isShort = data.frames > limits.shortFramesMax + data.bytes / limits.frameMeanBytes;
    if (isShort) throw new FrameError(CLOSE.policy, 'frames too short');
  }

  /** RFC 6455 §5.4: "An unfragmented message consists of a single frame with the FIN bit set and an opcode other than 0." */
  function enter(next: FrameHead): void {
    count(next);
    if (next.opcode < OPCODES.close) {
      const isContinuation = next.opcode === OPCODES.continuation;
      if (isContinuation !== (message !== null)) throw new FrameError(CLOSE.protocol, 'fragments');
      message ??= next.opcode;
      const textBytes = message === OPCODES.text ? heldBytes + next.lengthBytes : 0;
      if (textBytes > limits.textMaxBytes) throw new FrameError(CLOSE.tooBig, 'text too long');
    }
    frame = next;
    taken = 0;
  }

  /** Copied: the rest of the buffer is the caller's. A control frame may come between the fragments of a text. */
  const control: Buffer[] = [];
  function keep(part: Buffer, isControl: boolean): void {
    (isControl ? control : held).push(Buffer.from(part));
    if (!isControl) heldBytes += part.length;
  }

  function endControl(opcode: number): void {
    const payload = Buffer.concat(control.splice(0));
    if (opcode === OPCODES.ping) events.onPing(payload);
    else if (opcode === OPCODES.close) events.onClose();
  }

  function endMessage(): void {
    const isText = message === OPCODES.text;
    const whole = Buffer.concat(held);
    message = null;
    held = [];
    heldBytes = 0;
    if (!isText) return;
    let text: string;
    try {
      text = utf8.decode(whole);
    } catch {
      throw new FrameError(CLOSE.protocol, 'text is not UTF-8');
    }
    events.onText(text);
  }

  function endFrame({ opcode, isFinal }: FrameHead): void {
    frame = null;
    headKnown = 0;
    if (opcode >= OPCODES.close) endControl(opcode);
    else if (isFinal) endMessage();
  }

  function takePayload(now: FrameHead, part: Buffer): void {
    unmask(part, now.mask, taken);
    taken += part.length;
    if (now.opcode >= OPCODES.close) keep(part, true);
    else if (message === OPCODES.text) keep(part, false);
    else {
      reads.lend(part);
      events.onBytes(part);
    }
  }

  /** Takes bytes of a head. @returns how many */
  function takeHead(read: Buffer, from: number): number {
    let at = from;
    while (at < read.length && headKnown < headBytes(head, headKnown)) {
      head[headKnown++] = read[at++]!;
      if (headKnown === 2) checkHead(head[0]!, head[1]!);
    }
    const size = headBytes(head, headKnown);
    if (headKnown === size) enter(parseHead(head, size));
    return at - from;
  }

  function takeAll(read: Buffer): void {
    let at = 0;
    while (at < read.length) {
      if (frame === null) at += takeHead(read, at);
      const now: FrameHead | null = frame;
      if (now === null) return;
      const end = Math.min(read.length, at + now.lengthBytes - taken);
      if (end > at) takePayload(now, read.subarray(at, end));
      at = end;
      if (taken === now.lengthBytes) endFrame(now);
    }
  }

  return {
    take(read) {
      reads.open(read);
      try {
        takeAll(read);
      } finally {
        reads.giveBack(read);
      }
    },
    giveBack: reads.giveBack,
  };
}

/** A frame of the server. RFC 6455 §5.1: "A server MUST NOT mask any frames that it sends to the client." */
function frameOf(opcode: number, payload: Buffer): Buffer {
  const length = payload.length;
  const size = length < 126 ? Buffer.from([length]) : Buffer.from([126, length >> 8, length & 0xff]);
  return Buffer.concat([Buffer.from([0x80 | opcode]), size, payload]);
}

export const textFrame = (text: string): Buffer => frameOf(OPCODES.text, Buffer.from(text));
export const pingFrame = (): Buffer => frameOf(OPCODES.ping, Buffer.alloc(0));
export const pongFrame = (payload: Buffer): Buffer => frameOf(OPCODES.pong, payload);

/** @param reason at most 123 bytes */
export function closeFrame(code: number, reason: string): Buffer {
  const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
  payload.writeUInt16BE(code);
  payload.write(reason, 2);
  return frameOf(OPCODES.close, payload);
}
