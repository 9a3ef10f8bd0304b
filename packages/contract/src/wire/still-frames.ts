import { AppError } from '../errors.ts';
import { OBJECT_NAME_MAX_BYTES } from '../limits.ts';
import {
  STILL_LARGE_MAX_BYTES,
  STILL_SMALL_MAX_BYTES,
  STILLS_BODY_MAX_BYTES,
  STILLS_STORED_MAX,
} from './still-limits.ts';

/**
 * How stills travel (docs/container.md §6). A body that stores some is a row of frames `u16 nameLength | name | u32 smallLength |
 * small | u32 largeLength | large`; an answer has `u32 length | bytes` for each name that was asked for, with length 0
 * where there is no still. Integers are big-endian.
 */

type Bytes = Uint8Array<ArrayBuffer>;

export type StillSize = 'small' | 'large';

/** The still of a file, as it is stored: sealed, or of a plain folder as it is. */
export interface Still {
  readonly small: Bytes;
  readonly large: Bytes;
}

export interface StillFrame extends Still {
  /** The last segment of the file's path. */
  readonly name: string;
}

const NAME_LENGTH_BYTES = 2;
const LENGTH_BYTES = 4;
const MAX_BYTES = { small: STILL_SMALL_MAX_BYTES, large: STILL_LARGE_MAX_BYTES } as const;

/** Bytes that a frame takes in a body. */
export const frameBytes = ({ name, small, large }: StillFrame): number =>
  NAME_LENGTH_BYTES + new TextEncoder().encode(name).length + 2 * LENGTH_BYTES + small.length + large.length;

/** The body that stores these stills. The caller keeps STILLS_STORED_MAX and STILLS_BODY_MAX_BYTES. */
export function encodeFrames(frames: readonly StillFrame[]): Bytes {
  const body = new Uint8Array(frames.reduce((sum, frame) => sum + frameBytes(frame), 0));
  const view = new DataView(body.buffer);
  let at = 0;
  const put = (bytes: Uint8Array) => {
    body.set(bytes, at);
    at += bytes.length;
  };
  for (const { name, small, large } of frames) {
    const encoded = new TextEncoder().encode(name);
    view.setUint16(at, encoded.length);
    at += NAME_LENGTH_BYTES;
    put(encoded);
    for (const bytes of [small, large]) {
      view.setUint32(at, bytes.length);
      at += LENGTH_BYTES;
      put(bytes);
    }
  }
  return body;
}

/** @throws request.invalid */
function refuse(message: string): never {
  throw new AppError('request.invalid', { message });
}

/**
 * The frames of a body, whose bytes they share.
 * @throws request.invalid when it is cut, too long, has too many frames, one without bytes or too long, or a name twice
 */
export function decodeFrames(body: Bytes): StillFrame[] {
  if (body.length > STILLS_BODY_MAX_BYTES) refuse('the stills are too long');
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const frames = new Map<string, StillFrame>();
  let at = 0;
  const take = (length: number): Bytes => {
    if (length > body.length - at) refuse('a still is cut off');
    at += length;
    return body.subarray(at - length, at);
  };
  const takeLength = (lengthBytes: number): number => {
    const from = at;
    take(lengthBytes);
    return lengthBytes === NAME_LENGTH_BYTES ? view.getUint16(from) : view.getUint32(from);
  };
  const takeName = (): string => {
    const length = takeLength(NAME_LENGTH_BYTES);
    if (length === 0 || length > OBJECT_NAME_MAX_BYTES) refuse('a still has no name of a file');
    const encoded = take(length);
    try {
      return decoder.decode(encoded);
    } catch {
      return refuse('a still has no name of a file');
    }
  };
  const takeStill = (size: StillSize): Bytes => {
    const length = takeLength(LENGTH_BYTES);
    if (length === 0 || length > MAX_BYTES[size]) refuse(`a ${size} still has ${length} bytes`);
    return take(length);
  };
  while (at < body.length) {
    const name = takeName();
    if (frames.has(name)) refuse('two stills have one name');
    if (frames.size === STILLS_STORED_MAX) refuse('there are too many stills');
    frames.set(name, { name, small: takeStill('small'), large: takeStill('large') });
  }
  return [...frames.values()];
}

/** The length before a still in an answer. */
export function encodeLength(length: number): Bytes {
  const bytes = new Uint8Array(LENGTH_BYTES);
  new DataView(bytes.buffer).setUint32(0, length);
  return bytes;
}

/**
 * Reads an answer while it comes: each still as soon as its last byte is there, null where there is none.
 * @param size the size that was asked for: a longer still is refused
 * @throws TypeError when the answer is not one, or ends within a still
 */
export async function* readStills(
  body: ReadableStream<Uint8Array>,
  size: StillSize,
): AsyncGenerator<Bytes | null, void, undefined> {
  const reader = body.getReader();
  let rest: Bytes = new Uint8Array(0);
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const joined = new Uint8Array(rest.length + next.value.length);
      joined.set(rest);
      joined.set(next.value, rest.length);
      rest = joined;
      while (rest.length >= LENGTH_BYTES) {
        const length = new DataView(rest.buffer, rest.byteOffset, rest.byteLength).getUint32(0);
        if (length > MAX_BYTES[size]) throw new TypeError(`a ${size} still has ${length} bytes`);
        if (rest.length < LENGTH_BYTES + length) break;
        yield length === 0 ? null : rest.slice(LENGTH_BYTES, LENGTH_BYTES + length);
        rest = rest.subarray(LENGTH_BYTES + length);
      }
    }
    if (rest.length > 0) throw new TypeError('a still is cut off');
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
