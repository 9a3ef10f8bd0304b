import { type ByteReader, textOf, Unreadable, viewOf } from './byte-reader.ts';

/** Boxes of ISO/IEC 14496-12, which HEIC and AVIF are made of, and the items of ISO/IEC 23008-12. */

export interface Box {
  readonly type: string;
  readonly start: number;
  /** Where its content begins. */
  readonly body: number;
  readonly end: number;
}

const BOXES_MAX = 2000;
const HEAD_BYTES = 8;
const LONG_HEAD_BYTES = 16;

export async function boxesIn(reader: ByteReader, from: number, to: number): Promise<Box[]> {
  const boxes: Box[] = [];
  for (let at = from; at < to; ) {
    if (boxes.length === BOXES_MAX) throw new Unreadable('too many boxes');
    const head = await reader.read(at, HEAD_BYTES);
    const short = viewOf(head).getUint32(0);
    const type = textOf(head.subarray(4));
    const isLong = short === 1;
    const body = at + (isLong ? LONG_HEAD_BYTES : HEAD_BYTES);
    // "if size is 0, then this box shall be in a top-level box, and be the last one of the file" (4.2.2).
    let size = short === 0 ? to - at : short;
    if (isLong) size = Number(viewOf(await reader.read(at + HEAD_BYTES, 8)).getBigUint64(0));
    if (at + size > to || at + size < body) throw new Unreadable('a box beyond the end');
    boxes.push({ type, start: at, body, end: at + size });
    at += size;
  }
  return boxes;
}

/** Reads numbers one after the other. */
function createCursor(bytes: Uint8Array) {
  const view = viewOf(bytes);
  let at = 0;
  const take = (length: number) => {
    if (at + length > bytes.length) throw new Unreadable('a box that ends early');
    at += length;
    return at - length;
  };
  return {
    /** A number of 0, 1, 2, 4 or 8 bytes. */
    number(length: number): number {
      const start = take(length);
      if (length === 0) return 0;
      if (length === 1) return view.getUint8(start);
      if (length === 2) return view.getUint16(start);
      if (length === 4) return view.getUint32(start);
      if (length === 8) return Number(view.getBigUint64(start));
      throw new Unreadable('a number of an unknown length');
    },
    text: (length: number): string => textOf(bytes.subarray(take(length), at)),
    /** Up to a zero byte. */
    string(): string {
      const end = bytes.indexOf(0, at);
      if (end === -1) throw new Unreadable('a text that does not end');
      const text = textOf(bytes.subarray(at, end));
      at = end + 1;
      return text;
    },
  };
}

const contentOf = (reader: ByteReader, { body, end }: Box) => reader.read(body, end - body);

export interface ItemInfo {
  readonly type: string;
  /** Of `mime` items. */
  readonly contentType: string;
}

/** The items that an `iinf` box names, by their ids. */
export async function readItemInfo(reader: ByteReader, box: Box): Promise<Map<number, ItemInfo>> {
  const [version = 0] = await reader.read(box.body, 1);
  const items = new Map<number, ItemInfo>();
  for (const infe of await boxesIn(reader, box.body + (version === 0 ? 6 : 8), box.end)) {
    const cursor = createCursor(await contentOf(reader, infe));
    const infeVersion = cursor.number(1);
    cursor.number(1);
    cursor.number(2);
    if (infe.type !== 'infe' || infeVersion < 2) throw new Unreadable('an item of an unknown kind');
    const id = cursor.number(infeVersion === 2 ? 2 : 4);
    cursor.number(2);
    const type = cursor.text(4);
    if (type === 'mime') cursor.string();
    items.set(id, { type, contentType: type === 'mime' ? cursor.string() : '' });
  }
  return items;
}

export interface Extent {
  readonly offset: number;
  /** 0: up to the end of the file. */
  readonly length: number;
}

export interface ItemPlace {
  readonly id: number;
  /** 0: offsets count from the file's first byte; 1: from the first byte of `idat`; 2: from another item's. */
  readonly method: number;
  /** 0: in this very file. */
  readonly source: number;
  readonly extents: readonly Extent[];
}

const ITEMS_MAX = 10_000;
/** Of all items together: an extent may take no byte in the box, and a box could promise any number of them. */
const EXTENTS_MAX = 20_000;

/** Where items lie, as an `iloc` box says. */
export async function readItemPlaces(reader: ByteReader, box: Box): Promise<ItemPlace[]> {
  const cursor = createCursor(await contentOf(reader, box));
  const version = cursor.number(1);
  cursor.number(1);
  cursor.number(2);
  const sizes = cursor.number(2);
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const indexBytes = version === 0 ? 0 : sizes & 15;
  const count = cursor.number(version < 2 ? 2 : 4);
  if (version > 2 || count > ITEMS_MAX) throw new Unreadable('places of an unknown kind');
  let total = 0;
  return Array.from({ length: count }, () => {
    const id = cursor.number(version < 2 ? 2 : 4);
    const method = version === 0 ? 0 : cursor.number(2) & 15;
    const source = cursor.number(2);
    const base = cursor.number(baseBytes);
    const extentCount = cursor.number(2);
    total += extentCount;
    if (total > EXTENTS_MAX) throw new Unreadable('too many parts of items');
    const extents = Array.from({ length: extentCount }, () => {
      cursor.number(indexBytes);
      const offset = base + cursor.number(offsetBytes);
      return { offset, length: cursor.number(lengthBytes) };
    });
    return { id, method, source, extents };
  });
}
