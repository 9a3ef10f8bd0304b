/** Exact-size reading from a byte stream into two reused buffers (docs/container.md §4). */

type Bytes = Uint8Array<ArrayBuffer>;

/** Reads a stream in pieces of a wanted size. */
export interface ByteReader {
  /**
   * The next `sizeBytes` bytes; fewer only at the end of the stream. Two buffers take turns, so what a call returned is
   * good until the call after the next one begins. One call at a time.
   */
  read(sizeBytes: number): Promise<Bytes>;
  /** Puts bytes back before the next ones. They are copied. */
  unread(bytes: Uint8Array): void;
  /** Cancels the stream; also while a read is pending. */
  close(): Promise<void>;
}

/**
 * Chromium may collect a Blob's stream during a pending read, which then never settles (8 of 40 runs). Every object of
 * a pending read is held here (0 of 40).
 */
const pending = new Set<object>();

/** One read into `buffer` from `offset` on, as either kind of reader does it. */
interface Source {
  /**
   * Fills some bytes of `buffer` from `at` up to `end`, and returns the buffer (BYOB hands back another) and the count;
   * 0: end.
   */
  fill(buffer: ArrayBuffer, at: number, end: number): Promise<{ buffer: ArrayBuffer; count: number }>;
  cancel(): Promise<void>;
}

/**
 * Opens a stream for exact-size reading: BYOB where the stream can, so that no byte is copied, else with one copy.
 * @param owner what the stream reads from (a Blob), held while a read is pending
 */
export function createByteReader(stream: ReadableStream<Uint8Array>, owner?: object): ByteReader {
  const source = byobSource(stream) ?? defaultSource(stream);
  const held = { stream, source, owner };
  const buffers = [new ArrayBuffer(0), new ArrayBuffer(0)];
  let turn = 0;
  let front: Uint8Array = new Uint8Array(0);

  async function read(sizeBytes: number): Promise<Bytes> {
    turn = 1 - turn;
    let buffer = buffers[turn] as ArrayBuffer;
    if (buffer.byteLength < sizeBytes) buffer = new ArrayBuffer(sizeBytes);
    let at = Math.min(front.length, sizeBytes);
    new Uint8Array(buffer).set(front.subarray(0, at));
    front = front.subarray(at);
    pending.add(held);
    try {
      while (at < sizeBytes) {
        const filled = await source.fill(buffer, at, sizeBytes);
        buffer = filled.buffer;
        if (filled.count === 0) break;
        at += filled.count;
      }
    } finally {
      pending.delete(held);
    }
    buffers[turn] = buffer;
    return new Uint8Array(buffer, 0, at);
  }

  function unread(bytes: Uint8Array): void {
    const joined = new Uint8Array(bytes.length + front.length);
    joined.set(bytes);
    joined.set(front, bytes.length);
    front = joined;
  }

  return { read, unread, close: () => source.cancel() };
}

function byobSource(stream: ReadableStream<Uint8Array>): Source | null {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = stream.getReader({ mode: 'byob' });
  } catch {
    return null; // not a byte stream; a locked stream fails again, and loudly, as a default reader
  }
  return {
    async fill(buffer, at, end) {
      const { value } = await reader.read(new Uint8Array(buffer, at, end - at));
      // A cancelled stream keeps the buffer; nothing more will be read then.
      return value ? { buffer: value.buffer, count: value.byteLength } : { buffer: new ArrayBuffer(0), count: 0 };
    },
    cancel: () => reader.cancel(),
  };
}

function defaultSource(stream: ReadableStream<Uint8Array>): Source {
  const reader = stream.getReader();
  let rest: Uint8Array = new Uint8Array(0);
  return {
    async fill(buffer, at, end) {
      while (rest.length === 0) {
        const { value, done } = await reader.read();
        if (done) return { buffer, count: 0 };
        rest = value;
      }
      const count = Math.min(end - at, rest.length);
      new Uint8Array(buffer).set(rest.subarray(0, count), at);
      rest = rest.subarray(count);
      return { buffer, count };
    },
    cancel: () => reader.cancel(),
  };
}
