/** Reads a file in windows: what looks through a file of any size holds a quarter of a MiB of it. */

export type Bytes = Uint8Array<ArrayBuffer>;

/** The file is not what its first bytes promise, or is more than this code takes on. */
export class Unreadable extends Error {}

/** Reads of one file follow each other; none is longer than this. */
export const READ_MAX_BYTES = 1024 * 1024;
const WINDOW_BYTES = 256 * 1024;

export interface ByteReader {
  readonly sizeBytes: number;
  /** @throws Unreadable when the file ends before, or the part is too long */
  read(start: number, length: number): Promise<Bytes>;
  /** The bytes from `start` on that are at hand or come with one read: two at least, except at the end of the file. */
  window(start: number): Promise<Bytes>;
}

export function createByteReader(file: Blob): ByteReader {
  const sizeBytes = file.size;
  let held: Bytes = new Uint8Array(0);
  let heldAt = 0;

  async function hold(start: number, length: number): Promise<void> {
    if (start >= heldAt && start + length <= heldAt + held.length) return;
    const end = Math.min(sizeBytes, start + Math.max(length, WINDOW_BYTES));
    held = new Uint8Array(await file.slice(start, end).arrayBuffer());
    heldAt = start;
  }

  return {
    sizeBytes,
    async read(start, length) {
      if (length > READ_MAX_BYTES || start + length > sizeBytes) throw new Unreadable('the file ends before');
      await hold(start, length);
      return held.subarray(start - heldAt, start - heldAt + length);
    },
    async window(start) {
      if (start >= sizeBytes) return new Uint8Array(0);
      await hold(start, Math.min(2, sizeBytes - start));
      return held.subarray(start - heldAt);
    },
  };
}

export const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);

/** Bytes as the text that they spell in ASCII, one character each. */
export const textOf = (bytes: Uint8Array): string => String.fromCharCode(...bytes);
export const bytesOf = (text: string): Bytes => Uint8Array.from(text, (character) => character.charCodeAt(0));

export function joined(...parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function uint32(value: number, isLittle = false): Bytes {
  const bytes = new Uint8Array(4);
  viewOf(bytes).setUint32(0, value, isLittle);
  return bytes;
}
