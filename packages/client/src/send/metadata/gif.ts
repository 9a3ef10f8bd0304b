import { type ByteReader, textOf, Unreadable } from './byte-reader.ts';
import type { Pieces } from './pieces.ts';

/** GIF (version 89a): blocks up to the trailer. Comments, XMP and other applications' data go, and what follows the trailer. */

const [EXTENSION, IMAGE, TRAILER] = [0x21, 0x2c, 0x3b] as const;
const [GRAPHIC_CONTROL, PLAIN_TEXT, APPLICATION] = [0xf9, 0x01, 0xff] as const;
const HEAD_BYTES = 13;
const IMAGE_HEAD_BYTES = 10;
/** How often an animation is repeated. */
const LOOPS = /^(NETSCAPE2\.0|ANIMEXTS1\.0)$/;

/** Bytes of the colour table that packed fields announce. */
const tableBytes = (packed = 0) => (packed & 0x80 ? 3 * 2 ** ((packed & 7) + 1) : 0);

/** Where the sub-blocks end that begin at `start`: each says its length, and one of no length is the last. */
async function endOfBlocks(reader: ByteReader, start: number): Promise<number> {
  let at = start;
  for (;;) {
    const bytes = await reader.window(at);
    if (bytes.length === 0) throw new Unreadable('the file ends before');
    let index = 0;
    while (index < bytes.length) {
      const length = bytes[index] ?? 0;
      index += 1 + length;
      if (length === 0) return at + index;
    }
    at += index;
  }
}

async function isKept(reader: ByteReader, at: number): Promise<boolean> {
  const [, label = 0, length = 0] = await reader.read(at, 3);
  if (label === GRAPHIC_CONTROL || label === PLAIN_TEXT) return true;
  return label === APPLICATION && length === 11 && LOOPS.test(textOf(await reader.read(at + 3, 11)));
}

export async function stripGif(reader: ByteReader, pieces: Pieces): Promise<void> {
  const head = await reader.read(0, HEAD_BYTES);
  let at = HEAD_BYTES + tableBytes(head[10]);
  pieces.keep(0, at);
  while (at < reader.sizeBytes) {
    const [kind] = await reader.read(at, 1);
    if (kind === TRAILER) return pieces.keep(at, at + 1);
    if (kind === EXTENSION) {
      const end = await endOfBlocks(reader, at + 2);
      if (await isKept(reader, at)) pieces.keep(at, end);
      at = end;
    } else if (kind === IMAGE) {
      const packed = (await reader.read(at, IMAGE_HEAD_BYTES))[9];
      // After the table comes one byte, and then the pixels.
      const end = await endOfBlocks(reader, at + IMAGE_HEAD_BYTES + tableBytes(packed) + 1);
      pieces.keep(at, end);
      at = end;
    } else throw new Unreadable('no block');
  }
}
